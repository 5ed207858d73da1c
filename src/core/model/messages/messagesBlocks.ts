/**
 * Converts history to the messages of the Messages wire. The server requires that user and assistant alternate, that the
 * results of all calls of an answer begin the next message, and that no text is blank.
 *
 * A block depends on its item alone, so that it stays byte for byte the same once it was sent.
 */
import {
  callIdOf,
  isFromModel,
  isToolCallOutput,
  textOf,
  type ContentPart,
  type MessageItem,
  type OutputPart,
  type ResponseItem,
  type ToolCallItem,
  type ToolCallOutputItem,
} from '../../../protocol/responseItem.ts';
import { parseJson } from '../../util/json.ts';
import { inAnswerOrder } from '../chatMessages.ts';
import { isLeftOut, type Origin } from '../foreignItems.ts';
import { functionCallOf, replayedArguments } from '../functionForm.ts';
import { hasToolImages, imagesOfCall, textWithPlaceholders } from '../toolImages.ts';
import type {
  AssistantBlock,
  ImageBlock,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from './messagesRequest.ts';

export interface BlockForm {
  /** The tag of items of this provider. */
  readonly origin: Origin;
  /**
   * The reasoning of earlier responses that is sent: with a signature only, while the model is asked to reason; all of it
   * to a model of an unknown name, which may reason unasked and need it back (github.com/anthropics/claude-code/issues,
   * “must be passed back”).
   */
  readonly thinking: 'none' | 'signed' | 'all';
  /** The field in which images of tools are sent. */
  readonly toolImages: 'output' | 'message' | 'none';
}

/** A message whose blocks are JSON; never empty. */
export interface JsonMessage {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly string[];
}

/** The blocks of an item. Those of `first` begin their message. */
export interface ItemBlocks {
  readonly role: 'user' | 'assistant';
  readonly first: readonly string[];
  readonly rest: readonly string[];
}

const NOTHING: ItemBlocks = { role: 'user', first: [], rest: [] };

/** Returns the messages; `blocksOfItem` may keep what it has made of an item. The first and the last one are the user's. */
export function messagesOf(
  items: readonly ResponseItem[],
  blocksOfItem: (item: ResponseItem) => ItemBlocks,
): readonly JsonMessage[] {
  const messages: { role: 'user' | 'assistant'; first: string[]; rest: string[] }[] = [];
  let before: ResponseItem | undefined;
  for (const item of inAnswerOrder(items)) {
    const { role, first, rest } = blocksOfItem(item);
    if (first.length + rest.length === 0) continue;
    const open = messages.at(-1);
    const isRepeated = before !== undefined && repeats(before, item);
    before = item;
    if (isRepeated) continue;
    if (open?.role === role) {
      open.first.push(...first);
      open.rest.push(...rest);
    } else messages.push({ role, first: [...first], rest: [...rest] });
  }
  if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', first: [], rest: [text(BEGINNING)] });
  if (messages.at(-1)?.role !== 'user') messages.push({ role: 'user', first: [], rest: [text(CONTINUE)] });
  return messages.map(({ role, first, rest }) => ({ role, blocks: [...first, ...rest] }));
}

/** The words of the user before a conversation that begins with the assistant, and behind one that ends with it. */
const BEGINNING = '[The conversation so far]';
const CONTINUE = 'Continue.';

/** True when a retry has repeated the text: it is sent once. */
function repeats(before: ResponseItem, item: ResponseItem): boolean {
  if (before.type !== 'message' || item.type !== 'message') return false;
  return before.role === 'assistant' && item.role === 'assistant' && textOf(before.content) === textOf(item.content);
}

/** Empty for an item that cannot be expressed on this wire, and for blank text, which the server refuses. */
export function blocksOf(item: ResponseItem, form: BlockForm): ItemBlocks {
  if (isLeftOut(item, form.origin)) return NOTHING;
  switch (item.type) {
    case 'message':
      return item.role === 'assistant'
        ? assistant(nonBlank(textOf(item.content)))
        : { role: 'user', first: [], rest: json(partsOf(item.content)) };
    case 'reasoning':
      return isSent(item.thinking_block, form) ? assistant([thinkingBlock(item.thinking_block)]) : NOTHING;
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
      return assistant([toolUse(item)]);
    case 'function_call_output':
    case 'custom_tool_call_output':
      return outputBlocks(item, form);
    case 'web_search_call':
      return NOTHING;
  }
}

/** Reasoning that the server bound to the conversation before it: it may be refused behind another one. */
export function hasThinking(items: readonly ResponseItem[], origin: Origin): boolean {
  return items.some((item) => item.type === 'reasoning' && item.thinking_block && !isLeftOut(item, origin));
}

/**
 * True when the model would go on with calls that it made without reasoning. Within a budget it then takes no reasoning:
 * “a final `assistant` message must start with a thinking block” (github.com/anomalyco/opencode/issues/3077).
 */
export function continuesWithoutThinking(items: readonly ResponseItem[], form: BlockForm): boolean {
  const last = items.findLastIndex(isFromModel);
  if (!items.slice(last + 1).some(isToolCallOutput)) return false;
  const start = items.slice(0, last).findLastIndex((item) => item.type === 'message' && item.role !== 'assistant');
  return !items
    .slice(start + 1, last)
    .some((item) => item.type === 'reasoning' && blocksOf(item, form).rest.length > 0);
}

function assistant(blocks: readonly AssistantBlock[]): ItemBlocks {
  return { role: 'assistant', first: [], rest: json(blocks) };
}

function json(blocks: readonly (UserBlock | AssistantBlock)[]): readonly string[] {
  return blocks.map((block) => JSON.stringify(block));
}

function text(words: string): string {
  return JSON.stringify({ type: 'text', text: words } satisfies TextBlock);
}

function nonBlank(words: string): readonly TextBlock[] {
  return words.trim() === '' ? [] : [{ type: 'text', text: words }];
}

function isSent(block: ThinkingBlock | undefined, { thinking }: BlockForm): block is ThinkingBlock {
  if (block === undefined || thinking === 'none') return false;
  return thinking === 'all' || block.type !== 'thinking' || block.signature !== '';
}

/** Keys always in the same order. */
function thinkingBlock(block: ThinkingBlock): ThinkingBlock {
  return block.type === 'thinking'
    ? { type: block.type, thinking: block.thinking, signature: block.signature }
    : { type: block.type, data: block.data };
}

function toolUse(item: ToolCallItem): ToolUseBlock {
  const id = wireId(callIdOf(item) ?? '');
  const input = parseJson(replayedArguments(functionCallOf(item).arguments));
  return { type: 'tool_use', id, name: nameOf(item), input };
}

/** The name of a call as the server takes it, which a model of another server may have made up. */
function nameOf(item: ToolCallItem): string {
  return (
    functionCallOf(item)
      .name.replaceAll(/[^a-zA-Z0-9_-]/g, '_')
      .slice(0, LONGEST_NAME) || 'tool'
  );
}

const LONGEST_NAME = 128;

/** Ids of other servers may have characters that this one refuses: it takes `^[a-zA-Z0-9_-]+$`. */
function wireId(id: string): string {
  const taken = id.replaceAll(/[^a-zA-Z0-9_-]/g, (character) => `-${character.codePointAt(0)?.toString(16)}-`);
  return taken === '' ? 'call' : taken;
}

function outputBlocks(item: ToolCallOutputItem, { toolImages }: BlockForm): ItemBlocks {
  const { call_id, output } = item;
  if (toolImages === 'output' || !hasToolImages(item)) return results(call_id, output);
  const { first } = results(call_id, textWithPlaceholders(item.output, toolImages));
  if (toolImages === 'none') return { role: 'user', first, rest: [] };
  const images = item.output.filter((part) => part.type === 'input_image');
  return { role: 'user', first, rest: [text(imagesOfCall(call_id)), ...json(partsOf(images))] };
}

function results(callId: string, output: ToolCallOutputItem['output']): ItemBlocks {
  const content = typeof output === 'string' ? output : partsOf(output);
  const block: ToolResultBlock = { type: 'tool_result', tool_use_id: wireId(callId) };
  return { role: 'user', first: json([content.length === 0 ? block : { ...block, content }]), rest: [] };
}

function partsOf(parts: MessageItem['content'] | readonly OutputPart[]): readonly (TextBlock | ImageBlock)[] {
  return parts.flatMap((part): readonly (TextBlock | ImageBlock)[] =>
    part.type === 'input_image' ? [imageBlock(part)] : nonBlank(part.text),
  );
}

function imageBlock({ image_url: url }: Extract<ContentPart, { type: 'input_image' }>): ImageBlock {
  const [, media_type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  if (media_type === undefined || data === undefined) return { type: 'image', source: { type: 'url', url } };
  return { type: 'image', source: { type: 'base64', media_type, data } };
}
