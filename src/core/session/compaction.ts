/**
 * Compaction: the model writes a summary of the thread, and later requests contain that summary in place of the history
 * (docs/reference/codex-behaviour.md §8). The transcript keeps everything.
 */
import type { TurnItemOf } from '../../protocol/item.ts';
import { type ResponseItem, textOf } from '../../protocol/responseItem.ts';
import { withoutLoneReasoning } from '../history/normalize.ts';
import { ModelFault, type Prompt } from '../model/client.ts';
import { RetrySchedule } from '../model/retry.ts';
import { summaryRequest } from '../prompt/compaction.ts';
import { isHookContext, isUsersOwn } from '../prompt/notices.ts';
import { abortable } from '../util/abort.ts';
import { compactedHistory, keptMessageTokens } from './compactedHistory.ts';
import { askAtCap, leavesImageOut, promptOf, waitForRetry } from './requests.ts';
import { fitting, withCallsAsText, shorter } from './summaryInput.ts';
import type { TurnRun } from './turnRun.ts';

export type CompactionResult =
  | { readonly type: 'compacted' }
  /** The history is unchanged. */
  | { readonly type: 'failed'; readonly fault: ModelFault };

type CompactionItem = TurnItemOf<'compaction'>;

/** Returns true if these items contain more than context that Tiller adds by itself. */
export function isWorthASummary(items: readonly ResponseItem[]): boolean {
  return items.some((item) => item.type !== 'message' || item.role === 'assistant' || isUsersOwn(item));
}

/**
 * Returns true if a thread that the server refuses as too long can continue after a compaction. A response that was cut
 * may have met the limit for responses: then the thread counts as too long only when it fills half of the window.
 */
export function mayHelp(run: TurnRun, fault: ModelFault): boolean {
  const { contextWindow } = run.family;
  return !fault.answerCut || (contextWindow !== null && nextTokens(run) >= contextWindow / 2);
}

/**
 * Compacts when it is due. A failure is a warning and does not end the turn: there is room left, or else the server
 * refuses the request. `end`: see `compact`.
 */
export async function compactWhenDue(run: TurnRun, end?: number): Promise<void> {
  if (!run.compaction.trigger.isDue(nextTokens(run), run.family.contextWindow)) return;
  if (!isWorthASummary(run.history.items.slice(0, end))) return;
  const result = await compact(run, 'limit', end);
  if (result.type === 'compacted') return;
  run.compaction.trigger.failed();
  const message = `The thread could not be compacted and goes on with its whole history: ${result.fault.message}`;
  run.emit({ type: 'warning', message });
}

/**
 * Replaces the history with the initial context, the user's latest messages, a summary and a list of open work. No call
 * may be owed. Emits a `compaction` item, which also has the reason of a failure. Rejects when the turn is stopped,
 * also at a cap. `end`: the items from there on are not in the summary; the user's messages of them follow it.
 */
export async function compact(
  run: TurnRun,
  trigger: NonNullable<CompactionItem['trigger']>,
  end = run.history.items.length,
): Promise<CompactionResult> {
  await askAtCap(run, trigger === 'manual' ? 'compact' : 'retry');
  const old = run.history.items.slice(0, end);
  const recent = run.history.items
    .slice(end)
    .filter((item) => item.type === 'message' && (isUsersOwn(item) || isHookContext(item)));
  const before = nextTokens(run);
  const item: CompactionItem = {
    type: 'compaction',
    id: run.ports.ids.next('item'),
    status: 'in_progress',
    beforeTokens: before,
    afterTokens: 0,
    summary: '',
    trigger,
  };
  run.emit({ type: 'item_started', item });
  try {
    const summary = run.ports.keys.hide(await summarize(run, old));
    const context = await abortable(run.compaction.initialContext(), run.signal);
    const items = compactedHistory(old, { context, summary, budget: budgetOf(run, trigger, before) });
    const openWork = run.compaction.openWork();
    const work = openWork === undefined ? [] : [openWork];
    run.compaction.replace({ itemId: item.id, summary, items: [...items, ...work, ...recent] });
    run.signal.throwIfAborted();
    const count = run.tokens.foresee(promptOf(run, run.tools()), run.family.contextWindow);
    const afterTokens = count.last.total;
    run.compaction.trigger.compacted(afterTokens);
    run.emit({ type: 'item_completed', item: { ...item, status: 'completed', afterTokens, summary } });
    run.emit({ type: 'token_count', ...count, ...run.compaction.trigger.compactsAtOf(run.family.contextWindow) });
    return { type: 'compacted' };
  } catch (error) {
    if (run.signal.aborted || !(error instanceof ModelFault)) {
      run.emit({ type: 'item_completed', item: { ...item, status: 'aborted' } });
      throw error;
    }
    run.emit({ type: 'item_completed', item: { ...item, status: 'failed', why: error.message } });
    return { type: 'failed', fault: error };
  }
}

function nextTokens(run: TurnRun): number {
  return run.tokens.next({ instructions: run.instructions, tools: run.tools().specs, input: run.history.items });
}

/** A window that is too small for this history is assumed to be at most that large, whatever its known size. */
function budgetOf({ family }: TurnRun, trigger: CompactionItem['trigger'], before: number): number {
  const { contextWindow } = family;
  if (trigger !== 'context_exceeded') return keptMessageTokens(contextWindow);
  return keptMessageTokens(Math.min(contextWindow ?? before, before));
}

/**
 * Requests the summary, with as many attempts as for a response. A history that is too long for the window is sent in
 * shorter forms.
 */
async function summarize(run: TurnRun, history: readonly ResponseItem[]): Promise<string> {
  let items = withinWindow(run, history);
  let schedule = newSchedule(run);
  const request = summaryRequest(run.compaction.prompt);
  while (true) {
    run.signal.throwIfAborted();
    try {
      return await readSummary(run, promptFor(run, [...items, request]));
    } catch (error) {
      if (run.signal.aborted || !(error instanceof ModelFault)) throw error;
      if (leavesImageOut(error, run)) continue;
      const other = otherForm(run, items, error);
      if (other === undefined) {
        const final = await waitForRetry(run, schedule, error);
        if (final) throw final;
      } else {
        items = other;
        schedule = newSchedule(run);
      }
    }
  }
}

/**
 * The input after the server has refused these items: shorter, or with calls as text. `undefined` if that changes
 * nothing.
 */
function otherForm(
  run: TurnRun,
  items: readonly ResponseItem[],
  fault: ModelFault,
): readonly ResponseItem[] | undefined {
  if (fault.kind === 'context_exceeded') return mayHelp(run, fault) ? shorter(items) : undefined;
  return fault.kind === 'invalid_request' ? withCallsAsText(items) : undefined;
}

function newSchedule({ ports, maxAttempts }: TurnRun): RetrySchedule {
  return new RetrySchedule(() => ports.ids.random(), { maxAttempts });
}

/** Share of the window for the request for a summary; the rest is for the summary. */
const REQUEST_PART = 0.9;

/** A request that is known to be too long is not sent. */
function withinWindow(run: TurnRun, history: readonly ResponseItem[]): readonly ResponseItem[] {
  const { instructions, family } = run;
  const { contextWindow } = family;
  if (contextWindow === null) return history;
  const request = summaryRequest(run.compaction.prompt);
  const room = contextWindow * REQUEST_PART;
  return fitting(
    history,
    (items) => run.tokens.estimate({ instructions, tools: [], input: [...items, request] }) <= room,
  );
}

/** The request of the thread, without tools, and without reasoning that the request for the summary would follow. */
function promptFor(run: TurnRun, items: readonly ResponseItem[]): Prompt {
  const { settings, family } = run;
  const input = withoutLoneReasoning(items);
  return {
    model: settings.model,
    instructions: run.instructions,
    input: run.images.sendable(input, { model: settings.model, takesImages: family.images }, run.emit),
    tools: [],
    parallelToolCalls: false,
    effort: settings.effort,
    summary: settings.summary,
    verbosity: run.thread.prompt.verbosity ?? undefined,
    origin: run.origin,
    cacheKey: run.threadId,
  };
}

/** Requests the summary once. Only the last message counts; calls are ignored. */
async function readSummary(run: TurnRun, prompt: Prompt): Promise<string> {
  let summary = '';
  const summaryItems: ResponseItem[] = [];
  for await (const event of run.client.stream(prompt, run.signal)) {
    if (event.type === 'completed') {
      run.tokens.spend(event.usage, prompt, summaryItems, run.prices);
      return summary;
    }
    if (event.type === 'warning') run.emit({ type: 'warning', message: event.message });
    if (event.type !== 'item_done') continue;
    summaryItems.push(event.item);
    const { item } = event;
    const text = item.type === 'message' && item.role === 'assistant' ? textOf(item.content).trim() : '';
    if (text !== '') summary = text;
  }
  throw new Error('The model client ended its stream without saying so.');
}
