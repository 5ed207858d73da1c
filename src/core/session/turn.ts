import type { TurnItem, UserInput } from '../../protocol/item.ts';
import type { ResponseItem, ToolCallItem } from '../../protocol/responseItem.ts';
import { ABORTED_OUTPUT, outputFor } from '../history/normalize.ts';
import { ModelFault, type Prompt } from '../model/client.ts';
import { refusesImage } from '../model/imageRefusal.ts';
import { RetrySchedule } from '../model/retry.ts';
import { turnAbortedMessage } from '../prompt/notices.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import { TurnDiff } from '../tools/turnDiff.ts';
import { StartedCalls } from './startedCalls.ts';
import { describeFailure, StorageFailure, TurnPaused } from './failure.ts';
import { LoopGuard } from './loopGuard.ts';
import { type Sampled, sample } from './sample.ts';
import { ToolRuntime } from './toolRuntime.ts';
import type { TurnChanges } from './threadChanges.ts';
import type { TurnRun } from './turnRun.ts';
import { userMessage } from './userInput.ts';

/** What a turn begins with. */
export type TurnOpening =
  | {
      readonly type: 'begun';
      /** Context the model has not been told yet: instructions of the project, the environment, what changed of it. */
      readonly context: readonly ResponseItem[];
      /** What the person said; nothing when an earlier turn is taken up again. */
      readonly input: readonly UserInput[] | null;
    }
  /** A turn of a process that is gone, which had asked the person about these calls: they are asked again. */
  | { readonly type: 'recovered'; readonly calls: readonly RecoveredCall[] };

export interface RecoveredCall {
  readonly call: ToolCallItem;
  /** What shows it already. */
  readonly item: TurnItem | undefined;
}

type Outcome =
  | { readonly type: 'completed'; readonly lastMessage: string | null }
  | { readonly type: 'interrupted' }
  | { readonly type: 'failed'; readonly error: unknown };

/**
 * One turn: says what it was told, and then asks the model and runs its calls until nothing is owed
 * (codex-behaviour.md §3.2). Never rejects; ends with exactly one `turn_completed` or `turn_aborted`, and leaves a
 * history in which every call has its output.
 */
export async function runTurn(run: TurnRun, opening: TurnOpening): Promise<Outcome['type']> {
  const files = turnFiles(run);
  let outcome: Outcome;
  try {
    if (opening.type === 'begun') await open(run, opening);
    else await run.ready();
    outcome = {
      type: 'completed',
      lastMessage: await converse(run, files, opening.type === 'recovered' ? opening.calls : []),
    };
  } catch (error) {
    outcome = outcomeOf(error, run.signal);
  }
  await files.changes.settled();
  files.end();
  close(run, outcome);
  return outcome.type;
}

/** A turn is stopped by the person, unless it is stopped because it cannot be written down. */
function outcomeOf(error: unknown, signal: AbortSignal): Outcome {
  if (!signal.aborted) return { type: 'failed', error };
  return signal.reason instanceof StorageFailure ? { type: 'failed', error: signal.reason } : { type: 'interrupted' };
}

async function open(run: TurnRun, opening: Extract<TurnOpening, { type: 'begun' }>): Promise<void> {
  run.emit({ type: 'turn_started', settings: run.settings, contextWindow: run.family.contextWindow });
  await run.ready();
  answerOwed(run);
  for (const item of opening.context) run.remember(item);
  if (opening.input) await addInput(run, opening.input);
}

/** Calls whose output was lost in a crash are answered before anything else is said. */
function answerOwed(run: TurnRun): void {
  for (const call of run.history.owed) run.remember(outputFor(call, ABORTED_OUTPUT));
}

async function addInput(run: TurnRun, input: readonly UserInput[]): Promise<void> {
  const { message, warnings } = await userMessage(input, run.ports.workspace, run.settings.cwd);
  const id = run.ports.ids.next('item');
  const content = [...input];
  run.emit({ type: 'item_started', item: { id, type: 'user_message', status: 'in_progress', content } });
  run.remember(message);
  run.emit({ type: 'item_completed', item: { id, type: 'user_message', status: 'completed', content } });
  for (const warning of warnings) run.emit({ type: 'warning', message: warning });
}

/** What the turn changes in the workspace. */
interface TurnFiles {
  readonly diff: TurnDiff;
  readonly changes: TurnChanges;
  /** Tells the diff if there is more of it. */
  tell(): void;
  /** Tells it once more. A command that goes on in the background adds nothing after this. */
  end(): void;
}

function turnFiles(run: TurnRun): TurnFiles {
  const diff = new TurnDiff();
  let isOver = false;
  const emit = () => run.emit({ type: 'turn_diff', unifiedDiff: diff.unifiedDiff(run.settings.cwd) });
  const tell = () => {
    if (diff.takeUpdate()) emit();
  };
  const changes = run.changes(({ texts, untold }) => {
    if (isOver) return;
    diff.add(texts);
    diff.name(untold);
    tell();
  });
  const end = () => {
    if (!isOver && !diff.isEmpty) emit();
    isOver = true;
  };
  return { diff, changes, tell, end };
}

async function converse(run: TurnRun, files: TurnFiles, recovered: readonly RecoveredCall[]): Promise<string | null> {
  const loopGuard = new LoopGuard();
  if (recovered.length > 0) await runRecovered(recovered, run, toolRuntime(run, run.tools(), loopGuard, files));
  let lastMessage: string | null = null;
  for (let round = 1; ; round++) {
    // Also of a turn that was stopped: what was applied is applied.
    const { sampled, calls } = await respond(run, loopGuard, files).finally(() => files.tell());
    lastMessage = sampled.lastMessage ?? lastMessage;
    const queued = run.takeQueued();
    if (calls === 0 && sampled.endTurn && queued.length === 0) {
      if (round === 1 && lastMessage === null)
        run.emit({ type: 'warning', message: 'The model answered with nothing.' });
      return lastMessage;
    }
    for (const input of queued) await addInput(run, input);
    if (round >= run.maxToolRounds) throw new TurnPaused(round);
  }
}

async function runRecovered(recovered: readonly RecoveredCall[], run: TurnRun, tools: ToolRuntime): Promise<void> {
  for (const { call, item } of recovered) tools.start(call, item?.id ?? run.ports.ids.next('item'), item);
  for await (const output of tools.outputs()) run.remember(output);
  run.signal.throwIfAborted();
}

/**
 * Gets one whole response, over as many attempts as the retry schedule allows, and settles its calls. What an attempt
 * that died has run is part of the next request, so nothing runs twice.
 */
async function respond(
  run: TurnRun,
  loopGuard: LoopGuard,
  files: TurnFiles,
): Promise<{ readonly sampled: Sampled; readonly calls: number }> {
  const schedule = new RetrySchedule(() => run.ports.ids.random(), { maxAttempts: run.maxAttempts });
  const started = new StartedCalls();
  const registry = run.tools();
  while (true) {
    run.signal.throwIfAborted();
    const tools = toolRuntime(run, registry, loopGuard, files);
    const prompt = promptOf(run, registry);
    const attempt = await settled(sample(run, run.client, prompt, { tools, registry, started }));
    if (attempt.type === 'sampled') emitTokens(run, prompt, attempt.sampled);
    for await (const output of tools.outputs()) run.remember(output);
    run.signal.throwIfAborted();
    if (attempt.type === 'sampled') {
      const { sampled } = attempt;
      return { sampled, calls: tools.started + sampled.repeated };
    }

    if (!(attempt.error instanceof ModelFault)) throw attempt.error;
    if (leavesImageOut(attempt.error, run)) continue;
    const decision = schedule.next(attempt.error);
    if (decision.type === 'give_up') {
      if (decision.fault.kind === 'context_exceeded') tellFull(run);
      throw decision.fault;
    }
    const { kind, message } = attempt.error;
    const { attempt: number, of, delayMs } = decision;
    run.emit({ type: 'stream_error', kind, message, attempt: number, of, retryInMs: delayMs });
    await run.ports.clock.sleep(delayMs, run.signal);
  }
}

/** A request that was refused for an image is sent again without it, which is no retry: it is another request. */
function leavesImageOut(fault: ModelFault, { family, history, images, emit }: TurnRun): boolean {
  return family.images && refusesImage(fault) && images.leaveOutRefused(history.items, fault.detail, emit);
}

type Attempt =
  | { readonly type: 'sampled'; readonly sampled: Sampled }
  | { readonly type: 'died'; readonly error: unknown };

async function settled(sampling: Promise<Sampled>): Promise<Attempt> {
  try {
    return { type: 'sampled', sampled: await sampling };
  } catch (error) {
    return { type: 'died', error };
  }
}

function toolRuntime(
  run: TurnRun,
  registry: ToolRegistry,
  loopGuard: LoopGuard,
  { diff, changes }: TurnFiles,
): ToolRuntime {
  const { workspace, storage, clock, ids, host, keys } = run.ports;
  const { approver, noteUse, audit, settings, signal, processes } = run;
  return new ToolRuntime({
    registry,
    approver,
    noteUse,
    audit,
    clock,
    loopGuard,
    keys,
    interrupt: () => run.interrupt(),
    contextFor: (callId, itemId) => ({
      callId,
      itemId,
      turnId: run.turnId,
      settings,
      thread: { id: run.threadId, home: storage.home, unreadable: run.unreadable },
      workspace,
      processes,
      clock,
      ids,
      host,
      keys,
      signal,
      emit: (msg) => run.emit(msg),
      flush: () => run.flush(),
      changes,
      applied: (applied) => diff.add(applied),
    }),
  });
}

function promptOf(run: TurnRun, registry: ToolRegistry): Prompt {
  const { settings, family, history } = run;
  return {
    model: settings.model,
    instructions: run.instructions,
    input: run.images.sendable(history.items, { model: settings.model, takesImages: family.images }, run.emit),
    tools: registry.specs,
    parallelToolCalls: family.parallelToolCalls,
    effort: settings.effort,
    summary: settings.summary,
    verbosity: run.verbosity,
    outputSchema: run.outputSchema,
    cacheKey: run.threadId,
  };
}

function emitTokens(run: TurnRun, prompt: Prompt, sampled: Sampled): void {
  const said = run.history.items.slice(prompt.input.length);
  const count = run.tokens.count(sampled.usage, prompt, said, {
    contextWindow: run.family.contextWindow,
    prices: run.prices,
  });
  run.emit({ type: 'token_count', ...count });
}

/** What the server has refused as too long fills the window, whatever was counted before (codex-behaviour.md §8). */
function tellFull(run: TurnRun): void {
  const { contextWindow } = run.family;
  if (contextWindow !== null) run.emit({ type: 'token_count', ...run.tokens.full(contextWindow) });
}

function close(run: TurnRun, outcome: Outcome): void {
  switch (outcome.type) {
    case 'completed':
      run.emit({ type: 'turn_completed', lastMessage: outcome.lastMessage });
      return;
    case 'interrupted':
      run.remember(turnAbortedMessage('interrupted'));
      run.emit({ type: 'turn_aborted', reason: 'interrupted' });
      return;
    case 'failed':
      run.ports.log.error('A turn failed', outcome.error);
      run.emit({ type: 'error', ...describeFailure(outcome.error) });
      run.emit({ type: 'turn_aborted', reason: 'failed' });
      return;
  }
}
