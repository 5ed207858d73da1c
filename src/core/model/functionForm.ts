/** Tools with free text, told to servers that know only functions: the text becomes the one argument `input`. */
import * as z from 'zod';
import type { CustomToolCallItem, FunctionCallItem } from '../../protocol/responseItem.ts';
import type { CustomToolSpec, FunctionToolSpec, ToolSpec } from '../../protocol/toolSpec.ts';

export function asFunctionTool({ name, description }: CustomToolSpec): FunctionToolSpec {
  return {
    type: 'function',
    name,
    description,
    strict: false,
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The whole text.' } },
      required: ['input'],
      additionalProperties: false,
    },
  };
}

export function asFunctionCall({ call_id, name, input }: CustomToolCallItem): FunctionCallItem {
  return { type: 'function_call', call_id, name, arguments: JSON.stringify({ input }) };
}

export function customToolNames(tools: readonly ToolSpec[]): ReadonlySet<string> {
  return new Set(tools.flatMap((tool) => (tool.type === 'custom' ? [tool.name] : [])));
}

const inputSchema = z.object({ input: z.string() });

/** The call as it was offered. Arguments that cannot be read stay as they are, so that the model is told. */
export function asOffered(
  call: FunctionCallItem,
  customTools: ReadonlySet<string>,
): FunctionCallItem | CustomToolCallItem {
  if (!customTools.has(call.name)) return call;
  const parsed = inputSchema.safeParse(parseJson(call.arguments));
  if (!parsed.success) return call;
  return { type: 'custom_tool_call', call_id: call.call_id, name: call.name, input: parsed.data.input };
}

/** `undefined` when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
