/**
 * History as Chat messages (codex-behaviour.md §2.5, with the choices recommended there).
 *
 * Each element depends only on items before the next user message or finished group of calls, so that messages once sent
 * stay byte for byte what they were. For the same reason reasoning is kept on every assistant message that had it and
 * not only on the latest.
 */
import {
  callIdOf,
  isToolCall,
  isToolCallOutput,
  textOf,
  type MessageItem,
  type OutputPart,
  type ReasoningItem,
  type ResponseItem,
  type ToolCallItem,
  type ToolCallOutputItem,
} from '../../protocol/responseItem.ts';
import { asFunctionCall, asShellCall } from './functionForm.ts';

type TextOrParts = string | readonly ChatPart[];
type TextPart = { readonly type: 'text'; readonly text: string };
type ChatPart =
  | TextPart
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string; readonly detail?: string | undefined } };

export type ChatMessage =
  | { readonly role: 'system' | 'developer' | 'user'; readonly content: TextOrParts }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: TextOrParts }
  | ({
      readonly role: 'assistant';
      readonly content: string | null | readonly ThoughtPart[];
      readonly tool_calls?: readonly ChatToolCall[] | undefined;
    } & ChatReasoning);

/** Servers have several places for it; they are answered in their own. */
export type ReasoningField = NonNullable<ReasoningItem['chat_field']>;
type ChatReasoning = { readonly [Field in 'reasoning' | 'reasoning_content']?: string };
type ThoughtPart = TextPart | { readonly type: 'thinking'; readonly thinking: readonly TextPart[] };

interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: Readonly<Record<string, unknown>> | undefined;
}

export interface ChatForm {
  readonly developerRole: boolean;
}

/** What becomes one message. An assistant's words, thoughts and calls between two answers are one message. */
export type Group =
  | { readonly type: 'said'; readonly item: MessageItem }
  | { readonly type: 'output'; readonly item: ToolCallOutputItem }
  | { readonly type: 'assistant'; readonly items: readonly AssistantItem[] };

type AssistantItem = MessageItem | ReasoningItem | ToolCallItem;

export function groupItems(items: readonly ResponseItem[]): readonly Group[] {
  const groups: Group[] = [];
  let assistant: AssistantItem[] = [];
  const closeAssistant = () => {
    if (assistant.length > 0) groups.push({ type: 'assistant', items: assistant });
    assistant = [];
  };
  for (const item of answeredDirectly(items)) {
    switch (item.type) {
      case 'message':
        if (item.role === 'assistant') {
          if (!repeats(assistant, item)) assistant.push(item);
          break;
        }
        closeAssistant();
        groups.push({ type: 'said', item });
        break;
      case 'reasoning':
      case 'function_call':
      case 'custom_tool_call':
      case 'local_shell_call':
        assistant.push(item);
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
        closeAssistant();
        groups.push({ type: 'output', item });
        break;
      case 'web_search_call':
        break;
    }
  }
  closeAssistant();
  return groups;
}

/**
 * Items in the order in which a strict server takes them: all answers directly after the calls. What came in between (a
 * person's remark while a tool ran) follows the answers.
 */
function* answeredDirectly(items: readonly ResponseItem[]): Generator<ResponseItem, void, undefined> {
  const owed = new Set<string>();
  let answering = false;
  let held: ResponseItem[] = [];
  for (const item of items) {
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
    if (held.length > 0) yield* answeredDirectly(held);
    held = [];
  }
  yield* held;
}

/** A retry may have said the same again: it is sent once. */
function repeats(said: readonly AssistantItem[], item: MessageItem): boolean {
  const last = said.at(-1);
  return last?.type === 'message' && textOf(last.content) === textOf(item.content);
}

/** `undefined` when nothing of the group can be told on this wire. */
export function messageOf(group: Group, form: ChatForm): ChatMessage | undefined {
  switch (group.type) {
    case 'said': {
      const { role, content } = group.item;
      return {
        role: role === 'assistant' || (role === 'developer' && !form.developerRole) ? 'user' : role,
        content: textOrParts(content),
      };
    }
    case 'output':
      return { role: 'tool', tool_call_id: group.item.call_id, content: textOrParts(group.item.output) };
    case 'assistant':
      return assistantMessage(group.items);
  }
}

function assistantMessage(items: readonly AssistantItem[]): ChatMessage | undefined {
  const texts: string[] = [];
  const thoughts: string[] = [];
  let field: ReasoningField | undefined;
  const calls: ChatToolCall[] = [];
  for (const item of items) {
    switch (item.type) {
      case 'message':
        texts.push(textOf(item.content));
        break;
      case 'reasoning':
        thoughts.push(textOf(item.content ?? ''));
        field ??= item.chat_field;
        break;
      default:
        calls.push(toolCall(item));
    }
  }
  const content = texts.filter(Boolean).join('\n\n');
  const reasoning = thoughts.filter(Boolean).join('\n\n');
  if (content === '' && calls.length === 0) return undefined;
  return {
    role: 'assistant',
    ...said(content, reasoning, field ?? 'reasoning'),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function said(content: string, reasoning: string, field: ReasoningField) {
  const text = content === '' ? null : content;
  if (reasoning === '') return { content: text };
  if (field !== 'content') return { content: text, [field]: reasoning };
  const thought: ThoughtPart = { type: 'thinking', thinking: [{ type: 'text', text: reasoning }] };
  return { content: text === null ? [thought] : [thought, { type: 'text' as const, text }] };
}

function toolCall(item: ToolCallItem): ChatToolCall {
  const id = callIdOf(item) ?? '';
  switch (item.type) {
    case 'function_call':
      return {
        id,
        type: 'function',
        function: { name: item.name, arguments: item.arguments },
        extra_content: item.extra_content,
      };
    case 'custom_tool_call':
      return { id, type: 'function', function: { name: item.name, arguments: asFunctionCall(item).arguments } };
    case 'local_shell_call': {
      const { name, arguments: args } = asShellCall(item, id);
      return { id, type: 'function', function: { name, arguments: args } };
    }
  }
}

function textOrParts(content: string | readonly (MessageItem['content'][number] | OutputPart)[]): TextOrParts {
  if (typeof content === 'string') return content;
  if (!content.some((part) => part.type === 'input_image')) return textOf(content);
  return content.map((part): ChatPart => {
    if (part.type !== 'input_image') return { type: 'text', text: part.text };
    const { image_url: url, detail } = part;
    return { type: 'image_url', image_url: { url, detail } };
  });
}
