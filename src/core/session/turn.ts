import type { TurnItem, UserInput } from '../../protocol/item.ts';
import type { OpOf } from '../../protocol/op.ts';
import type { ResponseItem, ToolCallItem } from '../../protocol/responseItem.ts';
import { ABORTED_OUTPUT, outputFor } from '../history/normalize.ts';
import { ModelFault, type Prompt } from '../model/client.ts';
import { RetrySchedule } from '../model/retry.ts';
import { turnAbortedMessage } from '../prompt/notices.ts';
import type { Agents } from '../tools/agents/agents.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import { assertNever } from '../util/assertNever.ts';
import { addInput, addInputs, rememberHookText } from './addInput.ts';
import { runCodeReview } from './codeReview.ts';
import { StartedCalls } from './startedCalls.ts';
import { compact, compactWhenDue, mayHelp } from './compaction.ts';
import { BlockedByHook, describeFailure, StorageFailure, TurnPaused } from './failure.ts';
import { LoopGuard } from './loopGuard.ts';
import { askAtCap, leavesImageOut, promptOf, waitForRetry } from './requests.ts';
import { type Sampled, sample } from './sample.ts';
import { ToolRuntime } from './toolRuntime.ts';
import { type TurnFiles, turnFiles } from './turnFiles.ts';
import type { TurnRun } from './turnRun.ts';

/** The start of a turn. */
export type TurnOpening =
  | {
      readonly type: 'begun';
      /**
       * Context messages that the model does not have yet: project instructions, environment, and changes of them. Rejects
       * where one of them cannot be read: then the turn fails.
       */
      readonly context: Promise<readonly ResponseItem[]>;
      /**
       * The unsent messages, then the one that starts the turn. There is none to start it when an earlier turn is tried
       * again.
       */
      readonly inputs: readonly (readonly UserInput[])[];
      /** The user wants the thread compacted first. Only with an empty `context`. */
      readonly compacts?: boolean;
    }
  /** The user has changes reviewed by an agent, without a message. */
  | { readonly type: 'review'; readonly order: OpOf<'review'>; readonly agents: Agents }
  /** The user compacts the thread, without a message. */
  | { readonly type: 'compaction' }
  /** A turn of an earlier process with pending requests of these calls, which are requested again. */
  | { readonly type: 'recovered'; readonly calls: readonly RecoveredCall[] };

export interface RecoveredCall {
  readonly call: ToolCallItem;
  /** The item that shows it. */
  readonly item: TurnItem | undefined;
}

type Outcome =
  | { readonly type: 'completed'; readonly lastMessage: string | null }
  | { readonly type: 'interrupted' }
  | { readonly type: 'failed'; readonly error: unknown };

/**
 * One turn: records context and message, then requests responses and runs their calls until the model has every output
 * (codex-behaviour.md §3.2). Never rejects; ends with exactly one `turn_completed` or `turn_aborted`, and leaves a
 * history in which every call has its output.
 */
export async function runTurn(run: TurnRun, opening: TurnOpening): Promise<Outcome['type']> {
  const files = turnFiles(run);
  let outcome: Outcome;
  try {
    outcome = { type: 'completed', lastMessage: await runOpening(run, files, opening) };
  } catch (error) {
    outcome = outcomeOf(error, run.signal);
  }
  await files.changes.settled();
  files.end();
  close(run, outcome, opening);
  return outcome.type;
}

/** All of the turn but its end. Resolves with the last message. */
async function runOpening(run: TurnRun, files: TurnFiles, opening: TurnOpening): Promise<string | null> {
  switch (opening.type) {
    case 'begun':
      await begin(run);
      await open(run, opening);
      return converse(run, files, []);
    case 'recovered':
      await run.ready();
      await run.hooks.load();
      await run.skills.recover();
      // The MCP servers of these calls are starting again. If one fails to start, its call fails, not the turn.
      await run.toolsReady(opening.calls.flatMap(({ item }) => (item?.type === 'mcp_tool_call' ? [item.server] : [])));
      return converse(run, files, opening.calls);
    case 'review':
      await begin(run);
      return runCodeReview(run, opening.agents, opening.order);
    case 'compaction':
      await begin(run);
      await demandTools(run);
      await compactOrFail(run, 'manual');
      return null;
    default:
      return assertNever(opening);
  }
}

/** An aborted turn was interrupted by the user, unless the signal has a storage failure as its reason. */
function outcomeOf(error: unknown, signal: AbortSignal): Outcome {
  if (!signal.aborted) return { type: 'failed', error };
  return signal.reason instanceof StorageFailure ? { type: 'failed', error: signal.reason } : { type: 'interrupted' };
}

async function begin(run: TurnRun): Promise<void> {
  run.emit({ type: 'turn_started', settings: run.settings, contextWindow: run.family.contextWindow });
  for (const message of run.notes) run.emit({ type: 'warning', message });
  await Promise.all([run.ready(), run.hooks.load()]);
  answerOwed(run);
}

/**
 * Records context and message first: a turn that is stopped while it waits for hooks or tools, or that fails without them
 * or without its context, can be tried again. A compaction sums up the items before the message, which follows the summary.
 */
async function open(run: TurnRun, opening: Extract<TurnOpening, { type: 'begun' }>): Promise<void> {
  if (opening.inputs.length > 0) run.endReasoning();
  const before = run.history.items.length;
  try {
    for (const item of await opening.context) run.remember(item);
    if (opening.compacts !== true) rememberHookText(run, await run.hooks.sessionStarts());
  } catch (error) {
    await addInputs(run, opening.inputs).catch(() => {});
    throw error;
  }
  if (opening.inputs.length === 0) await run.skills.recover();
  if (opening.compacts) {
    await demandTools(run);
    await compactOrFail(run, 'manual');
  }
  const blocked = await addInputs(run, opening.inputs);
  if (blocked !== undefined) throw new BlockedByHook(blocked);
  if (opening.compacts) return;
  await demandTools(run);
  await compactWhenDue(run, before);
}

/** @throws ModelFault when a source of tools that the user demands is not there */
async function demandTools(run: TurnRun): Promise<void> {
  const missing = await run.toolsReady();
  if (missing !== undefined) throw new ModelFault('config', missing, { retryable: false, action: 'check_settings' });
}

/** Answers calls whose output was lost in a crash, before any other item. */
function answerOwed(run: TurnRun): void {
  for (const call of run.history.owed) run.remember(outputFor(call, ABORTED_OUTPUT));
}

const SUMMARY_TOO_LONG =
  'What would be summed up is longer than the model can read: give the model a larger context window, or select another model.';

/** @throws ModelFault */
async function compactOrFail(run: TurnRun, trigger: 'manual' | 'context_exceeded'): Promise<void> {
  const result = await compact(run, trigger);
  if (result.type === 'compacted') return;
  const { fault } = result;
  if (trigger === 'context_exceeded' || fault.kind === 'context_exceeded') tellFull(run);
  const { retryable, status, detail } = fault;
  const isTooLong = fault.kind === 'context_exceeded';
  const reason = isTooLong ? SUMMARY_TOO_LONG : fault.message;
  const message = `The thread could not be compacted and is unchanged. ${reason}`;
  const action = isTooLong ? 'select_model' : fault.action === 'retry' ? 'compact' : fault.action;
  throw new ModelFault(fault.kind, message, { retryable, status, detail, action, cause: fault });
}

async function converse(run: TurnRun, files: TurnFiles, recovered: readonly RecoveredCall[]): Promise<string | null> {
  const loopGuard = new LoopGuard();
  if (recovered.length > 0) {
    await runRecovered(recovered, run, toolRuntime({ ...run, approver: run.user }, run.tools(), loopGuard, files));
  }
  let lastMessage: string | null = null;
  for (let round = 1; ; round++) {
    const { maxToolRounds } = run.thread.limits;
    if (round > maxToolRounds)
      throw new TurnPaused(`Paused after ${maxToolRounds} tool rounds. Try again to continue.`);
    await run.rememberNotices();
    // Also after an interrupt: applied patches stay applied.
    const { sampled, calls } = await respond(run, loopGuard, files).finally(() => files.tell());
    lastMessage = sampled.lastMessage ?? lastMessage;
    const isAnswered = calls === 0 && sampled.endTurn;
    const isPausing = round >= maxToolRounds;
    if (!isPausing && (!isAnswered || run.goesOn())) await compactWhenDue(run);
    const added = isAnswered && !run.goesOn() ? 0 : await addQueued(run);
    if (isAnswered && added === 0) {
      const feedback = await run.hooks.stopping(lastMessage);
      if (feedback !== undefined) {
        rememberHookText(run, feedback);
        continue;
      }
      if (round === 1 && lastMessage === null)
        run.emit({ type: 'warning', message: 'The model returned an empty response.' });
      return lastMessage;
    }
  }
}

/**
 * Adds the queued messages, and returns how many the model gets. Each leaves the queue when those before it are added: an
 * interrupt gives the others back to the user.
 */
async function addQueued(run: TurnRun): Promise<number> {
  let added = 0;
  for (let input = run.takeQueued(); input !== undefined; input = run.takeQueued()) {
    if ((await addInput(run, input)) === undefined) added++;
  }
  return added;
}

async function runRecovered(recovered: readonly RecoveredCall[], run: TurnRun, tools: ToolRuntime): Promise<void> {
  for (const { call, item } of recovered) tools.start(call, item?.id ?? run.ports.ids.next('item'), item);
  for await (const output of tools.outputs()) run.remember(output);
  run.signal.throwIfAborted();
}

/**
 * Gets one complete response, in as many attempts as the retry schedule allows, and awaits its calls. The next request
 * contains the calls that a failed attempt has run, so no call runs twice.
 */
async function respond(
  run: TurnRun,
  loopGuard: LoopGuard,
  files: TurnFiles,
): Promise<{ readonly sampled: Sampled; readonly calls: number }> {
  const schedule = new RetrySchedule(() => run.ports.ids.random(), { maxAttempts: run.maxAttempts });
  let started = new StartedCalls();
  let isCompacted = false;
  const registry = run.tools();
  for (const item of run.toolInstructions()) run.remember(item);
  while (true) {
    run.signal.throwIfAborted();
    await askAtCap(run);
    const tools = toolRuntime(run, registry, loopGuard, files);
    const prompt = promptOf(run, registry);
    const attempt = await settled(sample(run, run.client, prompt, { tools, registry, started }));
    if (attempt.type === 'sampled') emitTokens(run, prompt, attempt.sampled);
    for await (const output of tools.outputs()) run.remember(output);
    run.signal.throwIfAborted();
    run.hooks.throwIfStopped();
    if (attempt.type === 'sampled') {
      const { sampled } = attempt;
      return { sampled, calls: tools.started + sampled.repeated };
    }

    if (!(attempt.error instanceof ModelFault)) throw attempt.error;
    if (leavesImageOut(attempt.error, run)) continue;
    if (attempt.error.kind === 'context_exceeded') {
      if (isCompacted || !mayHelp(run, attempt.error)) {
        tellFull(run);
        throw attempt.error;
      }
      await compactOrFail(run, 'context_exceeded');
      isCompacted = true;
      // The compacted history contains none of the calls.
      started = new StartedCalls();
      continue;
    }
    const final = await waitForRetry(run, schedule, attempt.error);
    if (final) throw final;
  }
}

type Attempt =
  | { readonly type: 'sampled'; readonly sampled: Sampled }
  | { readonly type: 'failed'; readonly error: unknown };

async function settled(sampling: Promise<Sampled>): Promise<Attempt> {
  try {
    return { type: 'sampled', sampled: await sampling };
  } catch (error) {
    return { type: 'failed', error };
  }
}

function toolRuntime(
  run: TurnRun,
  registry: ToolRegistry,
  loopGuard: LoopGuard,
  { diff, changes }: TurnFiles,
): ToolRuntime {
  const { workspace, storage, clock, ids, host, keys, regexps, textSearch, images, web, problems } = run.ports;
  const { approver, noteUse, audit, settings, signal, processes } = run;
  const level = run.thread.tools.problemsAfterPatch;
  return new ToolRuntime({
    registry,
    approver,
    noteUse,
    audit,
    clock,
    loopGuard,
    hooks: run.hooks,
    skills: run.skills,
    keys,
    interrupt: () => run.interrupt(),
    contextFor: (callId, itemId) => ({
      callId,
      itemId,
      turnId: run.turnId,
      settings,
      thread: { id: run.threadId, home: storage.home, unreadable: run.thread.tools.unreadable },
      workspace,
      movesBefore: workspace.moves?.count,
      processes,
      clock,
      ids,
      host,
      regexps,
      textSearch,
      images,
      web,
      keys,
      // One of its own: the calls of a response together would add more listeners to one signal than Node expects.
      signal: AbortSignal.any([signal]),
      emit: (msg) => run.emit(msg),
      flush: () => run.flush(),
      inquire: (body, asked) => run.inquire(body, asked, callId),
      changes,
      problems: problems && level !== 'off' ? { port: problems, level } : undefined,
      applied: (applied) => diff.add(applied),
    }),
  });
}

function emitTokens(run: TurnRun, prompt: Prompt, sampled: Sampled): void {
  const newItems = run.history.items.slice(prompt.input.length);
  const count = run.tokens.count(sampled.usage, prompt, newItems, {
    contextWindow: run.family.contextWindow,
    prices: run.prices,
  });
  const { rateLimits } = sampled;
  run.emit({
    type: 'token_count',
    ...count,
    ...run.compaction.trigger.compactsAtOf(run.family.contextWindow),
    ...(rateLimits && { rateLimits }),
  });
}

/**
 * A request that the server has refused as too long fills the context window, whatever was counted (codex-behaviour.md
 * §8).
 */
function tellFull(run: TurnRun): void {
  const { contextWindow } = run.family;
  if (contextWindow !== null)
    run.emit({ type: 'token_count', ...run.tokens.full(contextWindow, run.history.items.length) });
}

function close(run: TurnRun, outcome: Outcome, opening: TurnOpening): void {
  switch (outcome.type) {
    case 'completed':
      run.emit({ type: 'turn_completed', lastMessage: outcome.lastMessage });
      return;
    case 'interrupted':
      // A compaction or a review that is stopped leaves the history as it was.
      if (opening.type !== 'compaction' && opening.type !== 'review') run.remember(turnAbortedMessage('interrupted'));
      run.emit({ type: 'turn_aborted', reason: 'interrupted' });
      return;
    case 'failed':
      run.ports.log.error('A turn failed', outcome.error);
      run.emit({ type: 'error', ...describeFailure(outcome.error) });
      run.emit({ type: 'turn_aborted', reason: 'failed' });
      return;
  }
}
