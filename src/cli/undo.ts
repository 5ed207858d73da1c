/** `tiller undo`: reverts on disk the changes of one turn of a thread (docs/undo.md). */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { removeThreadFiles } from '../core/agent/removeThreadFiles.ts';
import { StoredAgents } from '../core/agent/storedAgents.ts';
import { changesOfWholeTurns, lastChangingTurn, withAgentTurns } from '../core/baseline/agentTurns.ts';
import { ChangeRecords, recordsPath } from '../core/baseline/changeRecords.ts';
import { movedRecords } from '../core/baseline/movedRecords.ts';
import {
  performRevert,
  planRevert,
  revertFailure,
  type RevertDeps,
  type Reverted,
  type RevertPlan,
} from '../core/baseline/revert.ts';
import type { StandingChanges } from '../core/baseline/standingChanges.ts';
import type { Ports } from '../core/ports.ts';
import { appendEvents } from '../core/rollout/appendEvents.ts';
import { ThreadCatalog } from '../core/rollout/catalog.ts';
import { assertNever } from '../core/util/assertNever.ts';
import { isBelow } from '../core/util/pathBelow.ts';
import { createNodePorts } from '../node/ports.ts';
import type { EventMsg } from '../protocol/event.ts';
import type { ThreadSummary } from '../protocol/threads.ts';
import { requireHome } from './folders.ts';
import { parseOptions } from './parseOptions.ts';
import { printSentence } from './print.ts';
import { BASELINE_WORKER } from './programs.ts';
import { settleInterrupted } from './recoverPatches.ts';
import type { Streams } from './streams.ts';
import { EXIT, Failure, UsageError } from './usage.ts';

/**
 * Runs `tiller undo`. Resolves with the exit code: 1 if files were left unchanged because of conflicts.
 * @throws UsageError
 */
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
  const agents = new StoredAgents({ live: { get: () => undefined }, catalog, ports });
  const chosen = await threadOf(values.thread, threads, { ports, agents });
  const { thread } = chosen;
  let code: number = EXIT.done;
  const result = await catalog.whileFree(thread.id, async () => {
    const request = { turn: turn ?? chosen.turn, yes: values.yes ?? false };
    code = await undoTurn(thread, request, { ports, agents }, streams);
  });
  if (result.type === 'owned') {
    const { name, pid } = result.owner;
    throw new Failure(`the thread is open in another process (${name}, ${pid}): undo it there`);
  }
  return code;
}

interface Chosen {
  readonly thread: ThreadSummary;
  /** The id of the turn; `undefined` for the last one that changed files. */
  readonly turn: string | undefined;
}

/**
 * Returns the named thread or sub-agent, or else the last thread that changed files in this folder. If a turn of
 * another thread has started that turn of a sub-agent, returns the other thread.
 * @throws UsageError
 */
async function threadOf(
  id: string | undefined,
  threads: readonly ThreadSummary[],
  { ports, agents }: { readonly ports: Pick<Ports, 'storage'>; readonly agents: StoredAgents },
): Promise<Chosen> {
  if (id !== undefined) {
    const found = threads.find((thread) => thread.id === id);
    if (found === undefined) throw new UsageError(`there is no thread ${id}`);
    await agents.settle(found.id);
    return { thread: found, turn: undefined };
  }
  const here = path.resolve('.');
  for (const thread of threads) {
    if (!isBelow(thread.cwd, here) && !isBelow(here, thread.cwd)) continue;
    await agents.settle(thread.id);
    if (!existsSync(path.join(ports.storage.home, recordsPath(thread.id)))) continue;
    const records = new ChangeRecords(ports.storage, thread.id);
    const turn = await lastChangingTurn(await records.read(), async (agentId) => {
      await agents.settle(agentId);
      return records.of(agentId).read();
    });
    if (turn !== undefined) return startOf({ thread, turn }, threads, records);
  }
  throw new UsageError('no thread has changed anything in this folder that can be undone; name one with --thread ID');
}

/** Returns the turn that started this turn of a sub-agent, followed upwards to the root thread. */
async function startOf(chosen: Chosen, threads: readonly ThreadSummary[], records: ChangeRecords): Promise<Chosen> {
  const { parentId } = chosen.thread;
  const parent = threads.find(({ id }) => id === parentId);
  if (parent === undefined) return chosen;
  const links = (await records.of(parent.id).read()).filter((record) => record.type === 'agent_turn');
  const link = links.find(({ agentTurnId }) => agentTurnId === chosen.turn);
  return link === undefined ? chosen : startOf({ thread: parent, turn: link.turnId }, threads, records);
}

async function undoTurn(
  { id, parentId, path: rollout, cwd: lastCwd }: ThreadSummary,
  { turn, yes }: { readonly turn: string | undefined; readonly yes: boolean },
  { ports, agents }: { readonly ports: Ports; readonly agents: StoredAgents },
  streams: Streams,
): Promise<number> {
  const { baseline: store, workspace, clock } = ports;
  const restore = workspace.restore?.bind(workspace);
  if (store === undefined || restore === undefined) throw new Failure('nothing can be restored here');
  const records = new ChangeRecords(ports.storage, id);
  const cwd = existsSync(lastCwd) ? lastCwd : path.resolve('.');
  const read = async (from: ChangeRecords) => movedRecords(await from.read(), [lastCwd], cwd, workspace);
  const own = await read(records);
  const ofAgent = async (agentId: string) => {
    await agents.settle(agentId);
    return read(records.of(agentId));
  };
  const turnId = turn ?? (await lastChangingTurn(own, ofAgent));
  if (turnId === undefined) throw new UsageError(`the thread ${id} has changed nothing that can be undone`);
  const whole = await withAgentTurns(own, [turnId], ofAgent);
  const standing = changesOfWholeTurns(whole, [turnId]);
  if (turn !== undefined && standing.turnIds.length === 0) {
    throw new UsageError(`there is no turn ${turn} that changed files in the thread ${id}`);
  }
  const parts = { store, restore, records, clock };
  const outcome = await agents.whileFree(whole.agents, async () => {
    const undo = { id, parentId, turnId, cwd, yes };
    const { code, reverted } = await carryOut(undo, standing, parts, streams);
    if (reverted === undefined) return code;
    await appendEvents(rollout, [revertedEvent(turnId, reverted)], ports);
    for (const { agentId, turnIds, ...files } of reverted.agents) {
      await agents.emit(
        agentId,
        turnIds.map((turnOfAgent) => revertedEvent(turnOfAgent, files)),
      );
    }
    return code;
  });
  if (outcome.type === 'refused') throw new Failure(outcome.message);
  if (whole.inSideCopies.length > 0) {
    const names = whole.inSideCopies.join(', ');
    printSentence(
      streams.stderr,
      `left alone: the side copies of agents (${names}): bring home or remove their changes there`,
    );
  }
  return outcome.result;
}

interface TurnToUndo {
  readonly id: string;
  readonly parentId: string | null;
  readonly turnId: string;
  readonly cwd: string;
  readonly yes: boolean;
}

/**
 * Prints the planned changes, asks the user, and makes them. `reverted`: undefined if the undo is not to be recorded in
 * the threads.
 */
async function carryOut(
  { id, parentId, turnId, cwd, yes }: TurnToUndo,
  standing: StandingChanges,
  parts: RevertDeps,
  streams: Streams,
): Promise<{ readonly code: number; readonly reverted?: Reverted }> {
  const { store } = parts;
  const plan = await planRevert(standing, { direction: 'undo', cwd, includeUncertain: true, overwrite: [] }, { store });
  const say = (line: string) => printSentence(streams.stdout, line);
  const thread = parentId === null ? `thread ${id}` : `thread ${id}, a sub-agent of thread ${parentId},`;
  say(`undo of turn ${turnId} of ${thread} in ${cwd}:`);
  for (const line of planLines(plan)) say(`  ${line}`);
  // If the plan has no files, the turn only changed folders.
  const hasWork =
    plan.files.length === 0 || plan.files.some(({ plan: { state } }) => state === 'ready' || state === 'merged');
  const conflicts = plan.files.flatMap(({ file }) => (file.state === 'conflict' ? [file.path] : []));
  if (!hasWork) {
    // If a crash prevented an undo from being recorded, this records it; otherwise it does nothing.
    await performRevert(plan, { includeUncertain: true }, parts);
    say('There is nothing to undo.');
    return { code: conflicts.length > 0 ? EXIT.failed : EXIT.done };
  }
  const isUncertain = plan.files.some(({ file }) => file.uncertain === true);
  const answer = yes ? ('all' as const) : await ask(isUncertain, streams);
  if (answer === 'no' || answer === 'interrupted') {
    say('Nothing was changed.');
    return { code: answer === 'no' ? EXIT.done : EXIT.interrupted };
  }
  const includeUncertain = answer === 'all';
  const result = await performRevert(plan, { includeUncertain }, parts);
  if ('type' in result) throw new Failure(revertFailure(result));
  say(`Undone in ${result.paths.length === 1 ? '1 file' : `${result.paths.length} files`}.`);
  for (const { path: file, reason } of result.skipped) printSentence(streams.stderr, `left alone: ${file}: ${reason}`);
  return { code: conflicts.length > 0 ? EXIT.failed : EXIT.done, reverted: result };
}

/** Returns the event about the undo, for the panel and for the next process that opens the thread. */
function revertedEvent(turnId: string, { paths, skipped }: Pick<Reverted, 'paths' | 'skipped'>): EventMsg {
  return { type: 'files_reverted', turnId, direction: 'undo', paths: [...paths], skipped: [...skipped] };
}

function planLines({ files, newFolders, goneFolders }: RevertPlan): readonly string[] {
  const lines = files.map(({ file, plan }) => {
    const notes = [
      ...(file.agents === undefined ? [] : [`changed by the agent ${file.agents.join(', ')}`]),
      ...(file.uncertain ? ['another program or thread may have changed it'] : []),
    ];
    const note = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
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

/**
 * Asks the user on the terminal. The end of input (Ctrl-D) means no.
 * @throws UsageError without a terminal
 */
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
