import {
  callIdOf,
  isFromModel,
  isToolCall,
  isToolCallOutput,
  type ResponseItem,
  type ToolCallItem,
  type ToolCallOutputItem,
} from '../../protocol/responseItem.ts';

/** The output of a call whose own output was lost (codex-behaviour.md §2.3). */
export const ABORTED_OUTPUT = 'aborted';

/**
 * Returns a history in which every call has exactly one output and every output its call: a missing output is added
 * directly after its call; outputs without a call before them, second outputs, and second calls with the same id are
 * dropped. Calls in `open` may stay without one. Reasoning stays with the item that it belongs to (`withoutLoneReasoning`).
 */
export function normalize(items: readonly ResponseItem[], open: ReadonlySet<string> = new Set()): ResponseItem[] {
  return paired(withoutLoneReasoning(items), open);
}

/**
 * Returns the items without reasoning that no message or call of the model follows, as after a crash between two lines of the
 * rollout: OpenAI refuses it in every later request ("without its required following item").
 */
export function withoutLoneReasoning(items: readonly ResponseItem[]): readonly ResponseItem[] {
  if (!items.some(({ type }) => type === 'reasoning')) return items;
  const kept: ResponseItem[] = [];
  let isFollowed = false;
  for (const item of items.toReversed()) {
    if (item.type === 'reasoning' && !isFollowed) continue;
    isFollowed = isFromModel(item);
    kept.push(item);
  }
  return kept.toReversed();
}

function paired(items: readonly ResponseItem[], open: ReadonlySet<string>): ResponseItem[] {
  const lastOutput = new Map<string, number>();
  items.forEach((item, index) => {
    if (isToolCallOutput(item)) lastOutput.set(item.call_id, index);
  });
  const called = new Set<string>();
  const owed = new Set<string>();
  const result: ResponseItem[] = [];
  for (const [index, item] of items.entries()) {
    if (isToolCall(item)) {
      const callId = callIdOf(item) ?? '';
      if (called.has(callId)) continue;
      called.add(callId);
      result.push(item);
      if ((lastOutput.get(callId) ?? -1) > index) owed.add(callId);
      else if (!open.has(callId)) result.push(outputFor(item, ABORTED_OUTPUT));
    } else if (isToolCallOutput(item)) {
      if (owed.delete(item.call_id)) result.push(item);
    } else {
      result.push(item);
    }
  }
  return result;
}

/** The output item of the type that belongs to the call's type. */
export function outputFor(call: ToolCallItem, output: ToolCallOutputItem['output']): ToolCallOutputItem {
  const call_id = callIdOf(call) ?? '';
  return call.type === 'custom_tool_call'
    ? { type: 'custom_tool_call_output', call_id, output }
    : { type: 'function_call_output', call_id, output };
}
