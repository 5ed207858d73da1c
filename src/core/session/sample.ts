import type { RateLimits, TokenUsage } from '../../protocol/event.ts';
import { withOrigin } from '../model/foreignItems.ts';
import { isToolCall, type MessageItem, type ResponseItem, type ToolCallItem } from '../../protocol/responseItem.ts';
import type { ModelClient, Prompt, ResponseEvent } from '../model/client.ts';
import { withoutLoneReasoning } from '../history/normalize.ts';
import { abortable } from '../util/abort.ts';
import { assertNever } from '../util/assertNever.ts';
import { StorageFailure } from './failure.ts';
import { auditSearch } from './hostedSearch.ts';
import type { StartedCalls } from './startedCalls.ts';
import { CallPreviews } from './callPreviews.ts';
import { ResponseView } from './responseView.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { ToolRuntime } from './toolRuntime.ts';
import type { TurnRun } from './turnRun.ts';

export interface Sampled {
  readonly usage: TokenUsage | null;
  /** False when the server asks for another request although no output is missing. */
  readonly endTurn: boolean;
  readonly lastMessage: string | null;
  /** Calls that the server sent again after they had started: the model gets their outputs with another request. */
  readonly repeated: number;
  /** Set if the server reports them. */
  readonly rateLimits: RateLimits | undefined;
}

interface SampleDeps {
  readonly tools: ToolRuntime;
  readonly registry: ToolRegistry;
  readonly started: StartedCalls;
}

/**
 * One attempt at one response. Finished items are shown at once. They are recorded when no later attempt can repeat
 * them: with the tool call that follows, or when the response is complete. A call is recorded before it runs.
 *
 * Throws what the client throws. Recorded items stay then, with the outputs of the calls that ran; the rest of the
 * attempt is discarded. When the user stopped it, the words that had arrived are recorded, too: they are in the
 * transcript, and the user may refer to them.
 */
export async function sample(
  run: TurnRun,
  client: ModelClient,
  prompt: Prompt,
  { tools, registry, started }: SampleDeps,
): Promise<Sampled> {
  const view = new ResponseView(run.emit, run.ports.ids);
  const previews = new CallPreviews({
    emit: run.emit,
    ports: run.ports,
    registry,
    earlierShown: () => tools.shown,
  });
  const staged: ResponseItem[] = [];
  const commit = () => {
    for (const item of staged.splice(0)) run.remember(withOrigin(item, run.origin));
    view.commit();
  };
  let repeated = 0;
  let rateLimits: RateLimits | undefined;
  const startCall = (key: string, item: ToolCallItem) => {
    if (!started.begin(item)) {
      repeated += 1;
      // No call of this attempt has started, so the items before this call are repetitions, too.
      if (tools.started === 0) {
        staged.length = 0;
        view.abandon();
      }
      return;
    }
    const call = run.history.withUniqueId(item, () => run.ports.ids.next('call'));
    staged.push(call);
    commit();
    const preview = previews.take(key);
    tools.start(call, preview?.id ?? run.ports.ids.next('item'), preview);
  };

  try {
    for await (const event of client.stream(prompt, run.signal)) {
      if (event.type === 'completed') {
        const { usage, endTurn } = event;
        // No item of this response follows the reasoning at the end, and servers refuse such reasoning.
        if (endTurn) staged.splice(0, staged.length, ...withoutLoneReasoning(staged));
        commit();
        return { usage, endTurn, lastMessage: view.lastMessage, repeated, rateLimits };
      }
      if (event.type === 'rate_limits') rateLimits = event.limits;
      show(event, view, previews, run);
      const others = run.pace();
      if (others) await abortable(others, run.signal);
      if (event.type !== 'item_done') continue;
      if (isToolCall(event.item)) startCall(event.key, event.item);
      else staged.push(event.item);
    }
    throw new Error('The model client ended its stream without saying so.');
  } catch (error) {
    if (isInterrupted(run.signal)) for (const text of view.uncommitted) run.remember(spokenText(text));
    throw error;
  } finally {
    view.abandon();
    previews.abandon();
  }
}

function isInterrupted({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof StorageFailure);
}

/**
 * Returns a message without the id of the server: it refuses one whose reasoning is missing, and reasoning is never
 * complete here.
 */
function spokenText(text: string): MessageItem {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
}

function show(
  event: Exclude<ResponseEvent, { type: 'completed' }>,
  view: ResponseView,
  previews: CallPreviews,
  run: TurnRun,
): void {
  switch (event.type) {
    case 'created':
    case 'rate_limits':
      return;
    case 'warning':
      return run.emit({ type: 'warning', message: event.message });
    case 'item_started':
      if (event.kind === 'message') view.message(event.key);
      else if (event.kind === 'reasoning') view.reasoning(event.key);
      else if (event.kind === 'web_search') view.webSearch(event.key);
      return;
    case 'text_delta':
      return view.growText(event.key, event.text);
    case 'reasoning_summary_delta':
      return view.growSummary(event.key, event.text);
    case 'reasoning_section_break':
      return view.breakSection(event.key);
    case 'reasoning_raw_delta':
      return showsRaw(run) ? view.growRaw(event.key, event.text) : undefined;
    case 'call_delta':
      return previews.grow(event);
    case 'item_done':
      return finish(event.key, event.item, view, run);
    default:
      return assertNever(event);
  }
}

/** Returns true if raw reasoning is shown: by the user's choice, else where the model sends no summaries. */
function showsRaw({ thread, family }: TurnRun): boolean {
  return thread.prompt.showRawReasoning ?? !(family.reasoning?.summaries ?? false);
}

function finish(key: string, item: ResponseItem, view: ResponseView, run: TurnRun): void {
  if (item.type === 'message' && item.role === 'assistant') view.finishMessage(key, item);
  else if (item.type === 'reasoning') view.finishReasoning(key, item, run.thread.prompt.showRawReasoning);
  else if (item.type === 'web_search_call') auditSearch(run, view.finishWebSearch(key, item));
}
