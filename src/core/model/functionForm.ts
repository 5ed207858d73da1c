/**
 * Expresses tools that are not functions for servers that support only functions: free text becomes the one argument
 * `input`, and the wire's own shell a function with the same arguments.
 */
import * as z from 'zod';
import {
  callIdOf,
  type CustomToolCallItem,
  type FunctionCallItem,
  type LocalShellCallItem,
  type ToolCallItem,
} from '../../protocol/responseItem.ts';
import type { CustomToolSpec, FunctionToolSpec, ToolSpec } from '../../protocol/toolSpec.ts';
import { assertNever } from '../util/assertNever.ts';
import { isJsonObject, parseJson } from '../util/json.ts';

/** The tool as a function with the one argument `input`. */
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

/** The call of such a tool as the call of its function. */
export function asFunctionCall({ call_id, name, input }: CustomToolCallItem): FunctionCallItem {
  return { type: 'function_call', call_id, name, arguments: JSON.stringify({ input }) };
}

/** The name under which models without the wire's own shell know a similar tool (codex-behaviour.md §4.1). */
const SHELL = 'shell';

const SHELL_FUNCTION: FunctionToolSpec = {
  type: 'function',
  name: SHELL,
  description: 'Runs a command and returns what it printed.',
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      command: {
        type: 'array',
        items: { type: 'string' },
        description: 'The program and its arguments; for a command line ["bash", "-lc", "…"].',
      },
      workdir: { type: 'string', description: 'Where to run it; default: the working directory.' },
      timeout_ms: { type: 'number', description: 'When to kill it; default 120000.' },
    },
    required: ['command'],
    additionalProperties: false,
  },
};

/** The same tool for models that know it with a command line. */
const SHELL_COMMAND_FUNCTION: FunctionToolSpec = {
  ...SHELL_FUNCTION,
  name: 'shell_command',
  parameters: {
    ...SHELL_FUNCTION.parameters,
    properties: {
      command: { type: 'string', description: 'The command line.' },
      workdir: { type: 'string', description: 'Where to run it; default: the working directory.' },
      timeout_ms: { type: 'number', description: 'When to kill it; default 120000.' },
    },
  },
};

/** The wire's own shell as a function. */
export function asShellFunction(name: 'shell' | 'shell_command' = 'shell'): FunctionToolSpec {
  return name === 'shell' ? SHELL_FUNCTION : SHELL_COMMAND_FUNCTION;
}

/** The tool as a function; `undefined` for one that only the server itself can run. */
export function functionFormOf(
  tool: ToolSpec,
  shellFunction: Parameters<typeof asShellFunction>[0],
): FunctionToolSpec | undefined {
  switch (tool.type) {
    case 'function':
      return tool;
    case 'custom':
      return asFunctionTool(tool);
    case 'local_shell':
      return asShellFunction(shellFunction);
    case 'web_search':
      return undefined;
    default:
      return assertNever(tool);
  }
}

/**
 * The arguments of an earlier call as every server takes them. vLLM and llama.cpp parse them, and refuse a request with
 * others: one broken call would fail all later requests of the thread (github.com/vllm-project/vllm/pull/48922,
 * github.com/ggml-org/llama.cpp/issues/22948). The model still sees what it wrote.
 */
export function replayedArguments(text: string): string {
  if (text.trim() === '') return '{}';
  return isJsonObject(parseJson(text)) ? text : JSON.stringify({ invalid_arguments: text });
}

/** `callId` is the id that its output will have. */
export function asShellCall({ action }: LocalShellCallItem, callId: string): FunctionCallItem {
  const { command, working_directory, timeout_ms } = action;
  const args = { command, workdir: working_directory ?? undefined, timeout_ms: timeout_ms ?? undefined };
  return { type: 'function_call', call_id: callId, name: SHELL, arguments: JSON.stringify(args) };
}

/** Any call of a tool as the call of a function. */
export function functionCallOf(item: ToolCallItem): FunctionCallItem {
  switch (item.type) {
    case 'function_call':
      return item;
    case 'custom_tool_call':
      return asFunctionCall(item);
    case 'local_shell_call':
      return asShellCall(item, callIdOf(item) ?? '');
  }
}

/** The names of the tools that take free text. */
export function customToolNames(tools: readonly ToolSpec[]): ReadonlySet<string> {
  return new Set(tools.flatMap((tool) => (tool.type === 'custom' ? [tool.name] : [])));
}

const inputSchema = z.object({ input: z.string() });

/**
 * Converts a call to the form in which its tool was offered. Arguments that cannot be read are kept, so that the model
 * gets an error.
 */
export function asOffered(
  call: FunctionCallItem,
  customTools: ReadonlySet<string>,
): FunctionCallItem | CustomToolCallItem {
  if (!customTools.has(call.name)) return call;
  const parsed = inputSchema.safeParse(parseJson(call.arguments));
  if (!parsed.success) return call;
  const { call_id, name, extra_content } = call;
  const beside = extra_content === undefined ? {} : { extra_content };
  return { type: 'custom_tool_call', call_id, name, input: parsed.data.input, ...beside };
}
