import {
  callIdOf,
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
 * dropped. Calls in `open` may stay without one.
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

/** The output item of the type that belongs to the call's type. */
export function outputFor(call: ToolCallItem, output: ToolCallOutputItem['output']): ToolCallOutputItem {
  const call_id = callIdOf(call) ?? '';
  return call.type === 'custom_tool_call'
    ? { type: 'custom_tool_call_output', call_id, output }
    : { type: 'function_call_output', call_id, output };
}
