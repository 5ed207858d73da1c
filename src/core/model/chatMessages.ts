/**
 * Converts history to Chat messages (codex-behaviour.md §2.5, with the choices recommended there).
 *
 * Each message depends only on items before the next user message or completed group of calls, so that messages stay
 * byte for byte the same once they were sent. For the same reason reasoning is kept on every assistant message that had
 * it, not only on the latest.
 */
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPartImage,
  ChatCompletionContentPartText,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionToolMessageParam,
} from 'openai/resources/chat/completions';
import {
  callIdOf,
  isToolCall,
  isToolCallOutput,
  textOf,
  type MessageItem,
  type ReasoningItem,
  type ResponseItem,
  type ToolCallItem,
  type ToolCallOutputItem,
} from '../../protocol/responseItem.ts';
import { append } from '../util/append.ts';
import { isForeign, type Origin } from './foreignItems.ts';
import { asFunctionCall, asShellCall, replayedArguments } from './functionForm.ts';
import type { ReasoningDetail } from './reasoningDetails.ts';
import type { Sent } from './requestBody.ts';
import { hasToolImages, imagesOfCall, textWithPlaceholders } from './toolImages.ts';

type TextPart = Sent<ChatCompletionContentPartText>;
/** `detail` is passed on as it was given, also where a server has more values than OpenAI. */
type ChatPart =
  | TextPart
  | (Pick<Sent<ChatCompletionContentPartImage>, 'type'> & {
      readonly image_url: { readonly url: string; readonly detail?: string | undefined };
    });
type TextOrParts = string | readonly ChatPart[];

export type ChatMessage =
  | { readonly role: 'system' | 'developer' | 'user'; readonly content: TextOrParts }
  | (Omit<Sent<ChatCompletionToolMessageParam>, 'content'> & { readonly content: TextOrParts })
  | (Omit<Sent<ChatCompletionAssistantMessageParam>, 'content' | 'tool_calls'> & {
      readonly content: string | null | readonly ThoughtPart[];
      readonly tool_calls?: readonly ChatToolCall[] | undefined;
    } & ChatReasoning);

/** The field for reasoning differs between servers; it is sent back in the same one. */
export type ReasoningField = NonNullable<ReasoningItem['chat_field']>;
type ChatReasoning = { readonly [Field in 'reasoning' | 'reasoning_content']?: string } & {
  readonly reasoning_details?: readonly ReasoningDetail[];
};
type ThoughtPart = TextPart | { readonly type: 'thinking'; readonly thinking: readonly TextPart[] };

/** `extra_content`: signatures of Gemini. */
type ChatToolCall = Sent<ChatCompletionMessageFunctionToolCall> & {
  readonly extra_content?: Readonly<Record<string, unknown>> | undefined;
};

export interface ChatForm {
  /** The tag of items of this provider. */
  readonly origin: Origin;
  readonly developerRole: boolean;
  /** True if the reasoning of earlier responses is sent. */
  readonly reasoning: boolean;
  /** The field in which images of tools are sent. */
  readonly toolImages: 'output' | 'message' | 'none';
  /** True for servers that require an answer of the assistant before each message of the user. */
  readonly strictOrder: boolean;
}

/**
 * Items that become messages together: the text, reasoning and calls of an assistant between two tool outputs are one
 * message; images of the outputs of its calls follow in a message of their own. To a server that requires a strict
 * order, consecutive messages are one, too.
 */
export type Group =
  | { readonly type: 'messages'; readonly items: readonly MessageItem[] }
  | { readonly type: 'outputs'; readonly items: readonly ToolCallOutputItem[] }
  | { readonly type: 'assistant'; readonly items: readonly AssistantItem[] };

type AssistantItem = MessageItem | ReasoningItem | ToolCallItem;

/** Groups a history into what become messages. `strictOrder`: for servers that demand alternating roles. */
export function groupItems(items: readonly ResponseItem[], strictOrder = false): readonly Group[] {
  const groups: Group[] = [];
  let assistant: AssistantItem[] = [];
  let outputs: ToolCallOutputItem[] = [];
  const closeAssistant = () => {
    if (assistant.length > 0) groups.push({ type: 'assistant', items: assistant });
    assistant = [];
  };
  const closeOutputs = () => {
    if (outputs.length > 0) groups.push({ type: 'outputs', items: outputs });
    outputs = [];
  };
  for (const item of inAnswerOrder(items)) {
    switch (item.type) {
      case 'message':
        closeOutputs();
        if (item.role === 'assistant') {
          if (!repeats(assistant, item)) assistant.push(item);
          break;
        }
        closeAssistant();
        groups.push({ type: 'messages', items: [item] });
        break;
      case 'reasoning':
      case 'function_call':
      case 'custom_tool_call':
      case 'local_shell_call':
        closeOutputs();
        assistant.push(item);
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
        closeAssistant();
        outputs.push(item);
        break;
      case 'web_search_call':
        break;
    }
  }
  closeAssistant();
  closeOutputs();
  return strictOrder ? inStrictOrder(groups) : groups;
}

/**
 * The order that Mistral and many chat templates require: messages of the user alternate with answers of the assistant.
 * Consecutive ones are joined, and a short answer is put between outputs of tools and a message of the user.
 */
function inStrictOrder(groups: readonly Group[]): readonly Group[] {
  const ordered: Group[] = [];
  for (const group of groups) {
    const last = ordered.at(-1);
    if (group.type === 'messages' && last?.type === 'messages') {
      ordered.splice(-1, 1, { type: 'messages', items: [...last.items, ...group.items] });
      continue;
    }
    if (group.type === 'messages' && last?.type === 'outputs') ordered.push({ type: 'assistant', items: [BRIDGE] });
    ordered.push(group);
  }
  return ordered;
}

const BRIDGE: MessageItem = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Understood.' }],
};

/**
 * Yields items in the order that strict servers require: all outputs directly after the calls. Items in between (a
 * user's message while a tool ran) follow the outputs; further calls among them are given their outputs likewise.
 */
export function* inAnswerOrder(items: readonly ResponseItem[]): Generator<ResponseItem, void, undefined> {
  const ahead = items.toReversed();
  const owed = new Set<string>();
  let answering = false;
  let held: ResponseItem[] = [];
  for (let item = ahead.pop(); item !== undefined; item = ahead.pop()) {
    const answers = isToolCallOutput(item) && owed.delete(item.call_id);
    if (answers) {
      answering = true;
      yield item;
    } else if (answering || (owed.size > 0 && item.type === 'message' && item.role !== 'assistant')) {
      held.push(item);
    } else {
      if (isToolCall(item)) owed.add(callIdOf(item) ?? '');
      yield item;
    }
    if (owed.size > 0) continue;
    answering = false;
    for (const next of held.toReversed()) ahead.push(next);
    held = [];
  }
  yield* held;
}

/** True when a retry has repeated the text: it is sent once. */
function repeats(sent: readonly AssistantItem[], item: MessageItem): boolean {
  const last = sent.at(-1);
  return last?.type === 'message' && textOf(last.content) === textOf(item.content);
}

/** Empty when no item of the group can be expressed on this wire. */
export function messagesOf(group: Group, form: ChatForm): readonly ChatMessage[] {
  switch (group.type) {
    case 'messages': {
      const [first] = group.items;
      const role = first?.role === 'developer' && !form.developerRole ? 'user' : first?.role;
      const wireRole = role === undefined || role === 'assistant' ? 'user' : role;
      return [{ role: wireRole, content: textOrParts(group.items.flatMap(withBlankLine)) }];
    }
    case 'outputs': {
      const images = form.toolImages === 'message' ? imagesMessage(group.items) : [];
      const bridge = form.strictOrder && images.length > 0 ? assistantMessage([BRIDGE], form) : [];
      return [...group.items.map((item) => toolMessage(item, form.toolImages)), ...bridge, ...images];
    }
    case 'assistant':
      return assistantMessage(group.items, form);
  }
}

function withBlankLine({ content }: MessageItem, index: number): MessageItem['content'] {
  return index === 0 ? content : [{ type: 'input_text', text: '\n\n' }, ...content];
}

/**
 * Text only, unless the provider is configured for images: “Image URLs are only allowed for messages with role 'user'”
 * (OpenAI, HTTP 400).
 */
function toolMessage(item: ToolCallOutputItem, place: ChatForm['toolImages']): ChatMessage {
  const { call_id } = item;
  if (!hasToolImages(item)) return { role: 'tool', tool_call_id: call_id, content: textOf(item.output) };
  const { output } = item;
  if (place !== 'output') return { role: 'tool', tool_call_id: call_id, content: textWithPlaceholders(output, place) };
  return { role: 'tool', tool_call_id: call_id, content: output.map(chatPart) };
}

/** The images of these outputs, each after the id of its call. */
function imagesMessage(outputs: readonly ToolCallOutputItem[]): readonly ChatMessage[] {
  const content = outputs.flatMap((item): ChatPart[] => {
    if (!hasToolImages(item)) return [];
    const { call_id, output } = item;
    const images = output.filter((part) => part.type === 'input_image').map(chatPart);
    return [{ type: 'text', text: imagesOfCall(call_id) }, ...images];
  });
  return content.length === 0 ? [] : [{ role: 'user', content }];
}

function assistantMessage(items: readonly AssistantItem[], form: ChatForm): readonly ChatMessage[] {
  const texts: string[] = [];
  const thoughts: string[] = [];
  const details: ReasoningDetail[] = [];
  let field: ReasoningField | undefined;
  const calls: ChatToolCall[] = [];
  for (const item of items) {
    switch (item.type) {
      case 'message':
        texts.push(textOf(item.content));
        break;
      case 'reasoning':
        // The details contain the text.
        if (item.chat_details?.length) append(details, item.chat_details);
        else thoughts.push(textOf(item.content ?? ''));
        field ??= item.chat_field;
        break;
      default:
        calls.push(toolCall(item, form));
    }
  }
  const content = texts.filter(Boolean).join('\n\n');
  const reasoning = form.reasoning ? thoughts.filter(Boolean).join('\n\n') : '';
  if (content === '' && calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      ...assistantFields(content, reasoning, field ?? 'reasoning'),
      ...(form.reasoning && details.length > 0 ? { reasoning_details: details } : {}),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

function assistantFields(content: string, reasoning: string, field: ReasoningField) {
  const text = content === '' ? null : content;
  if (reasoning === '') return { content: text };
  if (field !== 'content') return { content: text, [field]: reasoning };
  const thought: ThoughtPart = { type: 'thinking', thinking: [{ type: 'text', text: reasoning }] };
  return { content: text === null ? [thought] : [thought, { type: 'text' as const, text }] };
}

function toolCall(item: ToolCallItem, { origin }: ChatForm): ChatToolCall {
  const id = callIdOf(item) ?? '';
  switch (item.type) {
    case 'function_call':
      return {
        id,
        type: 'function',
        function: { name: item.name, arguments: replayedArguments(item.arguments) },
        extra_content: isForeign(item, origin) ? undefined : item.extra_content,
      };
    case 'custom_tool_call':
      return {
        id,
        type: 'function',
        function: { name: item.name, arguments: asFunctionCall(item).arguments },
        extra_content: isForeign(item, origin) ? undefined : item.extra_content,
      };
    case 'local_shell_call': {
      const { name, arguments: args } = asShellCall(item, id);
      return { id, type: 'function', function: { name, arguments: args } };
    }
  }
}

function textOrParts(content: MessageItem['content']): TextOrParts {
  return content.some((part) => part.type === 'input_image') ? content.map(chatPart) : textOf(content);
}

function chatPart(part: MessageItem['content'][number]): ChatPart {
  if (part.type !== 'input_image') return { type: 'text', text: part.text };
  const { image_url: url, detail } = part;
  return { type: 'image_url', image_url: { url, detail } };
}
