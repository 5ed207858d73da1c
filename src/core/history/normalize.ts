import {
  callIdOf,
  isToolCall,
  isToolCallOutput,
  type ResponseItem,
  type ToolCallItem,
  type ToolCallOutputItem,
} from '../../protocol/responseItem.ts';

/** What a call is answered with when its own answer was lost (codex-behaviour.md §2.3). */
export const ABORTED_OUTPUT = 'aborted';

/**
 * A history in which every call has exactly one output and every output its call: a missing output is put directly
 * after its call; an output without a call before it, a second one, and a second call of the same id are left out.
 * Calls in `open` are left without one.
 */
export function normalize(items: readonly ResponseItem[], open: ReadonlySet<string> = new Set()): ResponseItem[] {
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

/** An output in the form that belongs to the call's. */
export function outputFor(call: ToolCallItem, output: ToolCallOutputItem['output']): ToolCallOutputItem {
  const call_id = callIdOf(call) ?? '';
  return call.type === 'custom_tool_call'
    ? { type: 'custom_tool_call_output', call_id, output }
    : { type: 'function_call_output', call_id, output };
}
