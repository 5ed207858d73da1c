/** Sizes of items and tools in the context window, by kind. */
import type { ContextParts } from '../../protocol/event.ts';
import { callIdOf, isToolCall, isToolCallOutput, type ResponseItem } from '../../protocol/responseItem.ts';
import { inspectImageUrl } from '../util/imageData.ts';
import { type ImagePart, imagesIn, replaceImages } from '../history/images.ts';
import type { Prompt } from '../model/client.ts';
import { isSummaryMessage } from '../prompt/compaction.ts';
import { isUsersOwn } from '../prompt/notices.ts';
import { isProjectDocsMessage } from '../prompt/projectDocs.ts';
import { byteLength, tokensOfBytes } from '../util/tokens.ts';

/** The parts of a prompt that take room. */
export type MeasuredPrompt = Pick<Prompt, 'instructions' | 'tools' | 'input'>;

/** Text counts by its bytes, images by their pixels. */
export interface Size {
  readonly bytes: number;
  readonly imageTokens: number;
}

export type PartSizes = Readonly<Record<keyof ContextParts, Size>>;

const NOTHING: Size = { bytes: 0, imageTokens: 0 };

/** Returns the size of everything that the prompt carries. */
export function sizeOfPrompt(prompt: MeasuredPrompt): Size {
  const { instructions, tools, input } = prompt;
  return plus({ bytes: byteLength(instructions) + bytesOfTools(tools), imageTokens: 0 }, sizeOfItems(input));
}

/** Returns the sum of the sizes; an item is measured once in its life. */
export function sizeOfItems(items: readonly ResponseItem[]): Size {
  let [bytes, imageTokens] = [0, 0];
  for (const item of items) {
    const { size } = measured(item);
    bytes += size.bytes;
    imageTokens += size.imageTokens;
  }
  return { bytes, imageTokens };
}

/** Ignores counts of servers: the same in every run, for sizes that become part of a history. */
export function roughTokens(items: readonly ResponseItem[]): number {
  const { bytes, imageTokens } = sizeOfItems(items);
  return tokensOfBytes(bytes) + imageTokens;
}

/** Divides the size of a prompt among its kinds; the sizes add up to that of `sizeOfPrompt`. */
export function sizesByKind({ instructions, tools, input }: MeasuredPrompt): PartSizes {
  const sizes: Record<keyof ContextParts, Size> = {
    instructions: { bytes: byteLength(instructions), imageTokens: 0 },
    tools: { bytes: bytesOfTools(tools), imageTokens: 0 },
    projectDocs: NOTHING,
    files: NOTHING,
    outputs: NOTHING,
    conversation: NOTHING,
  };
  const printsFile = new Set<string>();
  for (const item of input) {
    const { size, kind, attachedBytes, isFilePrinter } = measured(item);
    if (isFilePrinter && isToolCall(item)) printsFile.add(callIdOf(item) ?? '');
    const own = isToolCallOutput(item) && printsFile.has(item.call_id) ? 'files' : kind;
    sizes[own] = plus(sizes[own], { bytes: size.bytes - attachedBytes, imageTokens: 0 });
    if (attachedBytes + size.imageTokens === 0) continue;
    sizes.files = plus(sizes.files, { bytes: attachedBytes, imageTokens: size.imageTokens });
  }
  return sizes;
}

function kindOf(item: ResponseItem): keyof ContextParts {
  switch (item.type) {
    case 'message':
      if (item.role === 'assistant') return 'conversation';
      if (isProjectDocsMessage(item)) return 'projectDocs';
      return isUsersOwn(item) || isSummaryMessage(item) ? 'conversation' : 'instructions';
    case 'function_call_output':
    case 'custom_tool_call_output':
      return 'outputs';
    case 'reasoning':
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'web_search_call':
      return 'conversation';
  }
}

/** Returns the bytes of the parts after the first text of a user's message: these are attachments. */
function attachedBytesOf(item: ResponseItem): number {
  if (item.type !== 'message' || item.content.length < 2) return 0;
  const attached = item.content.slice(item.content.findIndex((part) => part.type === 'input_text') + 1);
  return attached.reduce((sum, part) => sum + ('text' in part ? byteLength(JSON.stringify(part)) : 0), 0);
}

/** Returns true for a single command without shell syntax whose program prints files. */
function printsAFile(item: ResponseItem): boolean {
  if (item.type !== 'function_call') return false;
  const command = /"(?:cmd|command)"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(item.arguments)?.[1];
  return command !== undefined && /^\s*(?:cat|nl|head|tail|sed -n)\s[^|;&<>$`]*$/.test(command);
}

interface Measured {
  readonly size: Size;
  /** The kind of an output, unless its call prints a file. */
  readonly kind: keyof ContextParts;
  /** Share of `size`. */
  readonly attachedBytes: number;
  readonly isFilePrinter: boolean;
}

/** Items never change, so each is measured once however many requests it is part of. */
const known = new WeakMap<ResponseItem, Measured>();

function measured(item: ResponseItem): Measured {
  let found = known.get(item);
  if (found === undefined) {
    const kind = kindOf(item);
    const isUsers = kind === 'conversation' && item.type === 'message' && item.role === 'user';
    const attachedBytes = isUsers ? attachedBytesOf(item) : 0;
    found = { size: measure(item), kind, attachedBytes, isFilePrinter: printsAFile(item) };
    known.set(item, found);
  }
  return found;
}

const NO_IMAGE = { type: 'input_text', text: '' } as const;

function measure(item: ResponseItem): Size {
  if (item.type === 'reasoning' && item.encrypted_content) {
    const { encrypted_content: encrypted, ...shown } = item;
    return { bytes: byteLength(JSON.stringify(shown)) + bytesOfEncrypted(encrypted), imageTokens: 0 };
  }
  // The block contains the text, and a signature that is no part of the context.
  if (item.type === 'reasoning' && item.thinking_block) {
    const { thinking_block: block } = item;
    const bytes = block.type === 'thinking' ? byteLength(block.thinking) : bytesOfEncrypted(block.data);
    return { bytes, imageTokens: 0 };
  }
  // The details contain the text.
  if (item.type === 'reasoning' && item.chat_details?.length) {
    return { bytes: byteLength(JSON.stringify(item.chat_details)), imageTokens: 0 };
  }
  const images = imagesIn(item);
  const text = images.length === 0 ? item : replaceImages(item, () => NO_IMAGE);
  return {
    bytes: byteLength(JSON.stringify(text)),
    imageTokens: images.reduce((sum, image) => sum + tokensOfImage(image), 0),
  };
}

/** Base64 of the text and about 650 bytes of wrapping, as Codex estimates it. */
function bytesOfEncrypted(encrypted: string): number {
  return Math.max(0, Math.floor((encrypted.length * 3) / 4) - 650);
}

/** The size of an image whose size is unknown: 1024 × 1024 pixels. */
const USUAL_IMAGE = { width: 1024, height: 1024 };

/**
 * OpenAI's published rule, for other servers right within a factor of two: 85 tokens, and in high detail 170 more for each
 * tile of 512 × 512 pixels, once the image is scaled into 2048 × 2048 and its shorter side to 768.
 */
export function tokensOfImage({ image_url, detail }: ImagePart): number {
  if (detail === 'low') return 85;
  const image = inspectImageUrl(image_url);
  // A refused image is sent as a sentence.
  if (image.type === 'refused') return 20;
  const { width, height } = image.type === 'image' ? image : USUAL_IMAGE;
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const scale = fit * Math.min(1, 768 / (Math.min(width, height) * fit));
  const tiles = Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
  return 85 + 170 * tiles;
}

/** Keyed by array: it stays the same as long as the tools do. */
const measuredTools = new WeakMap<MeasuredPrompt['tools'], number>();

function bytesOfTools(tools: MeasuredPrompt['tools']): number {
  let bytes = measuredTools.get(tools);
  if (bytes === undefined) {
    bytes = byteLength(JSON.stringify(tools));
    measuredTools.set(tools, bytes);
  }
  return bytes;
}

function plus(left: Size, right: Size): Size {
  return { bytes: left.bytes + right.bytes, imageTokens: left.imageTokens + right.imageTokens };
}
