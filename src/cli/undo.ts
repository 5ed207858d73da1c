/** `tiller undo`: reverts on disk the changes of one turn of a thread (docs/undo.md). */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { removeThreadFiles } from '../core/agent/removeThreadFiles.ts';
import { ChangeLedger } from '../core/baseline/changeLedger.ts';
import { ChangeRecords, recordsPath } from '../core/baseline/changeRecords.ts';
import { movedRecords } from '../core/baseline/movedRecords.ts';
import { performRevert, planRevert, revertFailure, type RevertPlan } from '../core/baseline/revert.ts';
import { changesOfTurns, turnsWithChanges } from '../core/baseline/standingChanges.ts';
import type { Ports } from '../core/ports.ts';
import { ThreadCatalog } from '../core/rollout/catalog.ts';
import { Recorder } from '../core/rollout/recorder.ts';
import { replay } from '../core/rollout/replay.ts';
import { cutOffCommands } from '../core/session/recovery.ts';
import { ThreadChanges } from '../core/session/threadChanges.ts';
import { assertNever } from '../core/util/assertNever.ts';
import { isBelow } from '../core/util/pathBelow.ts';
import { createNodePorts } from '../node/ports.ts';
import type { ThreadSummary } from '../protocol/threads.ts';
import { requireHome } from './folders.ts';
import { parseOptions } from './parseOptions.ts';
import { printSentence } from './print.ts';
import { BASELINE_WORKER } from './programs.ts';
import { settleInterrupted } from './recoverPatches.ts';
import type { Streams } from './streams.ts';
import { EXIT, Failure, UsageError } from './usage.ts';

/** Resolves with the exit code: 1 where files are left alone because of conflicts. @throws UsageError */
export async function undo(argv: readonly string[], streams: Streams): Promise<number> {
  const { values, positionals } = parseOptions({
    args: [...argv],
    options: { thread: { type: 'string' }, yes: { type: 'boolean' } },
    allowPositionals: true,
    strict: true,
  });
  const [turn, ...more] = positionals;
  if (more.length > 0) throw new UsageError('undo takes one turn');
  const ports = createNodePorts({ roots: [], baselineWorker: BASELINE_WORKER });
  await requireHome(ports.storage.home);
  await settleInterrupted(ports.storage.home, ports.locks, (line) => printSentence(streams.stderr, line));
  const catalog = new ThreadCatalog(ports, (threadIds) => removeThreadFiles(ports.storage, threadIds));
  const threads = await catalog.withSubAgents();
  const recover = async (thread: ThreadSummary) => {
    if (thread.lastTurn === 'open') await catalog.whileFree(thread.id, () => recordCutOff(thread, ports));
  };
  const thread = await threadOf(values.thread, threads, { ports, recover });
  let code: number = EXIT.done;
  const result = await catalog.whileFree(thread.id, async () => {
    code = await undoTurn(thread, turn, values.yes ?? false, ports, streams);
  });
  if (result.type === 'owned') {
    const { name, pid } = result.owner;
    throw new Failure(`the thread is open in another process (${name}, ${pid}): undo it there`);
  }
  return code;
}

/** The thread or sub-agent that was named, or the last one that changed something in this folder. @throws UsageError */
async function threadOf(
  id: string | undefined,
  threads: readonly ThreadSummary[],
  {
    ports,
    recover,
  }: { readonly ports: Pick<Ports, 'storage'>; readonly recover: (thread: ThreadSummary) => Promise<void> },
): Promise<ThreadSummary> {
  if (id !== undefined) {
    const found = threads.find((thread) => thread.id === id);
    if (found === undefined) throw new UsageError(`there is no thread ${id}`);
    await recover(found);
    return found;
  }
  const here = path.resolve('.');
  for (const thread of threads) {
    if (!isBelow(thread.cwd, here) && !isBelow(here, thread.cwd)) continue;
    await recover(thread);
    if (!existsSync(path.join(ports.storage.home, recordsPath(thread.id)))) continue;
    const records = await new ChangeRecords(ports.storage, thread.id).read();
    if (turnsWithChanges(records).length > 0) return thread;
  }
  throw new UsageError('no thread has changed anything in this folder that can be undone; name one with --thread ID');
}

/** Records what commands changed that a crash has cut off: the thread has not been opened since. */
async function recordCutOff({ id, path: rollout }: ThreadSummary, ports: Ports): Promise<void> {
  const { baseline: store, clock, log } = ports;
  const read = replay((await ports.storage.readText(rollout)) ?? '');
  if (store === undefined || read.type !== 'thread') return;
  const report = (error: unknown) => log.error('The changes of a command cannot be recovered', error);
  const changes = new ThreadChanges({
    ...ports,
    store,
    ledger: new ChangeLedger({ store, clock, report }),
    threadId: id,
    maxBytes: Number.MAX_SAFE_INTEGER,
    secretsAmong: async () => new Set(),
    emit: () => {},
  });
  changes.recover(cutOffCommands(read.thread.state));
  await changes.settled();
}

async function undoTurn(
  { id, parentId, path: rollout, cwd: lastCwd }: ThreadSummary,
  turn: string | undefined,
  yes: boolean,
  ports: Ports,
  streams: Streams,
): Promise<number> {
  const { baseline: store, workspace, clock } = ports;
  const restore = workspace.restore?.bind(workspace);
  if (store === undefined || restore === undefined) throw new Failure('nothing can be restored here');
  const records = new ChangeRecords(ports.storage, id);
  const cwd = existsSync(lastCwd) ? lastCwd : path.resolve('.');
  const all = await movedRecords(await records.read(), [lastCwd], cwd, workspace);
  const turnId = turn ?? turnsWithChanges(all).at(-1);
  if (turnId === undefined) throw new UsageError(`the thread ${id} has changed nothing that can be undone`);
  const standing = changesOfTurns(all, [turnId]);
  if (turn !== undefined && standing.turnIds.length === 0) {
    throw new UsageError(`there is no turn ${turn} that changed files in the thread ${id}`);
  }
  const plan = await planRevert(standing, { direction: 'undo', cwd, includeUncertain: true, overwrite: [] }, { store });
  const say = (line: string) => printSentence(streams.stdout, line);
  const thread = parentId === null ? `thread ${id}` : `thread ${id}, a sub-agent of thread ${parentId},`;
  say(`undo of turn ${turnId} of ${thread} in ${cwd}:`);
  for (const line of planLines(plan)) say(`  ${line}`);
  // Without a file only folders changed.
  const hasWork =
    plan.files.length === 0 || plan.files.some(({ plan: { state } }) => state === 'ready' || state === 'merged');
  const conflicts = plan.files.flatMap(({ file }) => (file.state === 'conflict' ? [file.path] : []));
  if (!hasWork) {
    // Records an undo that a crash has kept from being recorded; otherwise it does nothing.
    await performRevert(plan, { includeUncertain: true }, { store, restore, records, clock });
    say('There is nothing to undo.');
    return conflicts.length > 0 ? EXIT.failed : EXIT.done;
  }
  const isUncertain = plan.files.some(({ file }) => file.uncertain === true);
  const answer = yes ? ('all' as const) : await ask(isUncertain, streams);
  if (answer === 'no' || answer === 'interrupted') {
    say('Nothing was changed.');
    return answer === 'no' ? EXIT.done : EXIT.interrupted;
  }
  const includeUncertain = answer === 'all';
  const result = await performRevert(plan, { includeUncertain }, { store, restore, records, clock });
  if ('type' in result) throw new Failure(revertFailure(result));
  await writeDown(rollout, turnId, result, ports);
  say(`Undone in ${result.paths.length === 1 ? '1 file' : `${result.paths.length} files`}.`);
  for (const { path: file, reason } of result.skipped) printSentence(streams.stderr, `left alone: ${file}: ${reason}`);
  return conflicts.length > 0 ? EXIT.failed : EXIT.done;
}

/** Records the undo for the panel, and for the next process that opens the thread. */
async function writeDown(
  rollout: string,
  turnId: string,
  {
    paths,
    skipped,
  }: { readonly paths: readonly string[]; readonly skipped: readonly { path: string; reason: string }[] },
  ports: Ports,
): Promise<void> {
  const recorder = new Recorder(rollout, ports);
  await recorder.open();
  try {
    const outcome = { paths: [...paths], skipped: [...skipped] };
    const msg = { type: 'files_reverted' as const, turnId, direction: 'undo' as const, ...outcome };
    recorder.record({ type: 'event_msg', payload: { turnId: null, submissionId: null, msg } });
    await recorder.sync();
  } finally {
    await recorder.close();
  }
}

function planLines({ files, newFolders, goneFolders }: RevertPlan): readonly string[] {
  const lines = files.map(({ file, plan }) => {
    const note = file.uncertain ? ' (another program or thread may have changed it)' : '';
    switch (plan.state) {
      case 'ready':
        return `${VERBS[file.kind]} ${file.path}${note}`;
      case 'merged':
        return `restore ${file.path}, and keep what was changed at other lines since${note}`;
      case 'done':
        return `already as before: ${file.path}`;
      case 'conflict':
        return `conflict, left alone: ${file.path}: ${plan.reason}`;
      case 'impossible':
        return `cannot be undone: ${file.path}: ${plan.reason}`;
      default:
        return assertNever(plan);
    }
  });
  const folders = newFolders.map((folder) => `remove ${folder} where it is empty`);
  return [...lines, ...folders, ...goneFolders.map(({ path: folder }) => `make ${folder}`)];
}

const VERBS = { add: 'bring back', update: 'restore', delete: 'remove' } as const;

/** Asks on a terminal; the end of its input (Ctrl-D) means no. @throws UsageError without one */
async function ask(
  isUncertain: boolean,
  { stdin, stdout }: Streams,
): Promise<'no' | 'interrupted' | 'certain' | 'all'> {
  if (!stdin.isTTY || !stdout.isTTY) throw new UsageError('give --yes to undo this; nothing was changed');
  const terminal = createInterface({ input: stdin, output: stdout });
  const ended = new AbortController();
  terminal.on('SIGINT', () => ended.abort('interrupted'));
  terminal.on('close', () => ended.abort('no'));
  try {
    const isYes = async (question: string) => {
      const answer = await terminal.question(`${question} [y/N] `, { signal: ended.signal });
      return /^y(es)?$/i.test(answer.trim());
    };
    if (!(await isYes('Undo this?'))) return 'no';
    if (!isUncertain) return 'all';
    return (await isYes('Also the files that another program or thread may have changed?')) ? 'all' : 'certain';
  } catch (error) {
    if (!ended.signal.aborted) throw error;
    stdout.write('\n');
    return ended.signal.reason === 'interrupted' ? 'interrupted' : 'no';
  } finally {
    terminal.close();
  }
}
