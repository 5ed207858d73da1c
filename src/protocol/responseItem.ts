/**
 * The input and output of the model: the items of the Responses wire, with its own field names (codex-behaviour.md
 * §2.2).
 *
 * Code that reads the wire drops unknown fields and skips unknown item types, so that an extension of a server does not
 * break a thread.
 */
import * as z from 'zod';
import { lazyObject, lazyVariant } from './lazyObject.ts';

/** A page that a server names as a source of a text: `url_citation` of the wire. */
export const citationSchema = lazyObject(() => ({ url: z.string(), title: z.string() }));
export type Citation = z.infer<typeof citationSchema>;

export const contentPartSchema = z.discriminatedUnion('type', [
  lazyVariant('input_text', () => ({ text: z.string() })),
  lazyVariant('input_image', () => ({ image_url: z.string(), detail: z.string().optional() })),
  /** A text of the model. `citations` are shown, but not sent back. */
  lazyVariant('output_text', () => ({
    text: z.string(),
    citations: z.array(citationSchema).optional(),
  })),
]);
export type ContentPart = z.infer<typeof contentPartSchema>;

/** One part of a tool's output that is not a single string. */
export const outputPartSchema = z.discriminatedUnion('type', [
  lazyVariant('input_text', () => ({ text: z.string() })),
  lazyVariant('input_image', () => ({ image_url: z.string(), detail: z.string().optional() })),
]);
export type OutputPart = z.infer<typeof outputPartSchema>;

/** On the wire an output is a string or an array of parts, never `{content, success}` (codex-behaviour.md §14.1). */
export const callOutputSchema = z.union([z.string(), z.array(outputPartSchema)]);
export type CallOutput = z.infer<typeof callOutputSchema>;

/** The provider that has sent an item; absent if it is the provider with which the thread began. Never sent. */
const originSchema = z.string().optional();

export const messageItemSchema = lazyVariant('message', () => ({
  id: z.string().optional(),
  origin: originSchema,
  role: z.enum(['user', 'assistant', 'developer', 'system']),
  content: z.array(contentPartSchema),
  phase: z.enum(['commentary', 'partial_answer', 'final_answer']).optional(),
}));
export type MessageItem = z.infer<typeof messageItemSchema>;

export const reasoningItemSchema = lazyVariant('reasoning', () => ({
  id: z.string().optional(),
  origin: originSchema,
  summary: z.array(z.object({ type: z.literal('summary_text'), text: z.string() })).default([]),
  content: z.array(z.object({ type: z.enum(['reasoning_text', 'text']), text: z.string() })).nullish(),
  encrypted_content: z.string().nullish(),
  /** The field in which a Chat server sent the reasoning and expects it back. */
  chat_field: z.enum(['reasoning', 'reasoning_content', 'content']).optional().catch(undefined),
  /** Reasoning of a Messages server with its signature, or encrypted. The server requires it back unchanged. */
  thinking_block: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
      z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
    ])
    .optional()
    .catch(undefined),
  /** Signed or encrypted reasoning of a Chat server, which requires it back unchanged and in this order. */
  chat_details: z.array(z.record(z.string(), z.unknown())).optional().catch(undefined),
}));
export type ReasoningItem = z.infer<typeof reasoningItemSchema>;

export const functionCallItemSchema = lazyVariant('function_call', () => ({
  id: z.string().optional(),
  origin: originSchema,
  call_id: z.string(),
  name: z.string(),
  namespace: z.string().optional(),
  /** The arguments as a JSON string, exactly as the model wrote it; it may be invalid JSON. */
  arguments: z.string(),
  /** Data of a Chat server about the call, which the server requires back: Gemini's signature of its reasoning. */
  extra_content: z.record(z.string(), z.unknown()).optional().catch(undefined),
}));
export type FunctionCallItem = z.infer<typeof functionCallItemSchema>;

export const functionCallOutputItemSchema = lazyVariant('function_call_output', () => ({
  call_id: z.string(),
  output: callOutputSchema,
}));
export type FunctionCallOutputItem = z.infer<typeof functionCallOutputItemSchema>;

export const customToolCallItemSchema = lazyVariant('custom_tool_call', () => ({
  id: z.string().optional(),
  origin: originSchema,
  status: z.string().optional(),
  call_id: z.string(),
  name: z.string(),
  input: z.string(),
  /** The same field as in a `function_call`, because the call was one on the wire. */
  extra_content: z.record(z.string(), z.unknown()).optional().catch(undefined),
}));
export type CustomToolCallItem = z.infer<typeof customToolCallItemSchema>;

export const customToolCallOutputItemSchema = lazyVariant('custom_tool_call_output', () => ({
  call_id: z.string(),
  output: callOutputSchema,
}));
export type CustomToolCallOutputItem = z.infer<typeof customToolCallOutputItemSchema>;

export const localShellCallItemSchema = lazyVariant('local_shell_call', () => ({
  id: z.string().optional(),
  origin: originSchema,
  call_id: z.string().nullish(),
  status: z.enum(['completed', 'in_progress', 'incomplete']).default('completed'),
  action: z.object({
    type: z.literal('exec'),
    command: z.array(z.string()),
    timeout_ms: z.number().nullish(),
    working_directory: z.string().nullish(),
    env: z.record(z.string(), z.string()).nullish(),
    user: z.string().nullish(),
  }),
}));
export type LocalShellCallItem = z.infer<typeof localShellCallItemSchema>;

/** A search that the server has run itself. It is only shown. */
export const webSearchCallItemSchema = lazyVariant('web_search_call', () => ({
  id: z.string().optional(),
  origin: originSchema,
  status: z.string().optional(),
  action: z.looseObject({ type: z.string(), query: z.string().optional() }).optional(),
}));
export type WebSearchCallItem = z.infer<typeof webSearchCallItemSchema>;

export const responseItemSchema = z.discriminatedUnion('type', [
  messageItemSchema,
  reasoningItemSchema,
  functionCallItemSchema,
  functionCallOutputItemSchema,
  customToolCallItemSchema,
  customToolCallOutputItemSchema,
  localShellCallItemSchema,
  webSearchCallItemSchema,
]);
export type ResponseItem = z.infer<typeof responseItemSchema>;

/** A call that Tiller executes. It must get exactly one output. */
export type ToolCallItem = FunctionCallItem | CustomToolCallItem | LocalShellCallItem;
export type ToolCallOutputItem = FunctionCallOutputItem | CustomToolCallOutputItem;

/** Returns true for a call that Tiller runs and answers; not for a search that the server runs itself. */
export function isToolCall(item: ResponseItem): item is ToolCallItem {
  return item.type === 'function_call' || item.type === 'custom_tool_call' || item.type === 'local_shell_call';
}

/** Returns true for the output of a call that Tiller has run. */
export function isToolCallOutput(item: ResponseItem): item is ToolCallOutputItem {
  return item.type === 'function_call_output' || item.type === 'custom_tool_call_output';
}

/**
 * Returns the id that the output of a call must have. A `local_shell_call` may have only its item id
 * (codex-behaviour.md §2.2).
 */
export function callIdOf(item: ToolCallItem): string | undefined {
  return item.type === 'local_shell_call' ? (item.call_id ?? item.id) : item.call_id;
}

/** Returns the text of a message or output, without images. */
export function textOf(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  if (typeof content === 'string') return content;
  return content.map((part) => part.text ?? '').join('');
}

/** Returns true if the model wrote the item, and not the user, Tiller or a tool. */
export function isFromModel(item: ResponseItem): boolean {
  switch (item.type) {
    case 'message':
      return item.role === 'assistant';
    case 'function_call_output':
    case 'custom_tool_call_output':
      return false;
    case 'reasoning':
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'web_search_call':
      return true;
  }
}
