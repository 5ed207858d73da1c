import { callIdOf, type ToolCallItem } from '../../protocol/responseItem.ts';
import { assertNever } from '../util/assertNever.ts';
import type { ToolCall, ToolPayload } from './handler.ts';

/**
 * Returns the call that an item of the model contains (`ToolRouter::build_tool_call` of Codex). The item must have a
 * valid id.
 */
export function buildToolCall(item: ToolCallItem): ToolCall {
  const callId = callIdOf(item) ?? '';
  switch (item.type) {
    case 'function_call':
      return { callId, name: item.name, payload: { type: 'function', arguments: item.arguments } };
    case 'custom_tool_call':
      return { callId, name: item.name, payload: { type: 'custom', input: item.input } };
    case 'local_shell_call':
      return { callId, name: 'local_shell', payload: { type: 'local_shell', action: item.action } };
    default:
      return assertNever(item);
  }
}

/** Two calls are the same call when these are equal. */
export function fingerprintOf(call: ToolCall): string {
  return `${call.name}\n${rawArgumentsOf(call.payload)}`;
}

/** Returns the arguments as the model wrote them. */
export function rawArgumentsOf(payload: ToolPayload): string {
  switch (payload.type) {
    case 'function':
      return payload.arguments;
    case 'custom':
      return payload.input;
    case 'local_shell':
      return JSON.stringify(payload.action);
    default:
      return assertNever(payload);
  }
}
