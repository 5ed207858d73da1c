/**
 * The request of the Messages wire as types (platform.claude.com/docs/en/api/messages/create). Only what Tiller sends:
 * the `openai` package has no types of it.
 */
import type { ReasoningItem } from '../../../protocol/responseItem.ts';

/** Marks the end of a prefix that the server keeps for later requests. At most four in a request. */
export interface CacheMark {
  readonly cache_control?: { readonly type: 'ephemeral' };
}

export type TextBlock = { readonly type: 'text'; readonly text: string } & CacheMark;

export type ImageBlock = {
  readonly type: 'image';
  readonly source:
    | { readonly type: 'base64'; readonly media_type: string; readonly data: string }
    | { readonly type: 'url'; readonly url: string };
} & CacheMark;

/** Reasoning with its signature, or encrypted; never with a mark. */
export type ThinkingBlock = NonNullable<ReasoningItem['thinking_block']>;

export type ToolUseBlock = {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  /** Any object. */
  readonly input: unknown;
};

export type ToolResultBlock = {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content?: string | readonly (TextBlock | ImageBlock)[];
} & CacheMark;

export type UserBlock = TextBlock | ImageBlock | ToolResultBlock;
export type AssistantBlock = TextBlock | ThinkingBlock | ToolUseBlock;

export interface MessagesTool extends CacheMark {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** `display`: newer models leave the text of their reasoning out unless they are asked for it. */
export type Thinking =
  | { readonly type: 'adaptive'; readonly display: 'summarized' }
  | { readonly type: 'between_tools' }
  | { readonly type: 'disabled' }
  | { readonly type: 'enabled'; readonly budget_tokens: number };

export interface MessagesParams {
  model: string;
  max_tokens: number;
  system: readonly TextBlock[];
  messages: readonly (
    | { readonly role: 'user'; readonly content: readonly UserBlock[] }
    | { readonly role: 'assistant'; readonly content: readonly AssistantBlock[] }
  )[];
  tools: readonly MessagesTool[];
  tool_choice: { readonly type: 'auto'; readonly disable_parallel_tool_use: true };
  thinking: Thinking;
  output_config: {
    readonly effort?: string | undefined;
    readonly format?: { readonly type: 'json_schema'; readonly schema: Readonly<Record<string, unknown>> } | undefined;
  };
  stream: true;
}
