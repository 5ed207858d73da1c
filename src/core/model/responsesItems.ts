/** Converts items between history and the Responses wire, in both directions (codex-behaviour.md §2.2). */
import {
  type Citation,
  callIdOf,
  responseItemSchema,
  type ContentPart,
  type MessageItem,
  type OutputPart,
  type ResponseItem,
} from '../../protocol/responseItem.ts';
import { asFunctionCall, asShellCall, replayedArguments } from './functionForm.ts';
import { isForeign, isLeftOut, type Origin } from './foreignItems.ts';
import { hasToolImages, imagesOfCall, textWithPlaceholders } from './toolImages.ts';

// ---------------------------------------------------------------- to the server

export interface ItemForm {
  /**
   * Servers that store responses identify items by id; elsewhere only reasoning items and calls that have only an id
   * keep theirs.
   */
  readonly keepsIds: boolean;
  readonly keepsReasoningIds: boolean;
  /** The tag of items of this provider. */
  readonly origin: Origin;
  /** The field in which images of tools are sent. */
  readonly toolImages: 'output' | 'message' | 'none';
  readonly customTools: boolean;
  readonly localShell: boolean;
  readonly developerRole: boolean;
}

/**
 * The item on the wire; its images in a message of their own behind it where the server takes none in outputs.
 */
export function itemsToWire(item: ResponseItem, form: ItemForm): readonly Record<string, unknown>[] {
  if (isLeftOut(item, form.origin)) return [];
  if (form.toolImages === 'output' || !hasToolImages(item)) return [itemToWire(item, form)];
  const text = [itemToWire({ ...item, output: textWithPlaceholders(item.output, form.toolImages) }, form)];
  if (form.toolImages === 'none') return text;
  const label = { type: 'input_text', text: imagesOfCall(item.call_id) };
  const content = [label, ...item.output.filter((part) => part.type === 'input_image').map(partToWire)];
  return [...text, { type: 'message', role: 'user', content }];
}

/**
 * The item on the wire. Keys always have the same order, so that an element is the same bytes in every request and
 * after a resume.
 */
export function itemToWire(item: ResponseItem, form: ItemForm): Record<string, unknown> {
  const foreign = isForeign(item, form.origin);
  const id = form.keepsIds && !foreign ? item_id(item) : undefined;
  switch (item.type) {
    case 'message':
      return { type: item.type, id, role: roleToWire(item, form), content: item.content.map(partToWire) };
    case 'reasoning':
      return {
        type: item.type,
        id: form.keepsReasoningIds ? item.id : undefined,
        summary: item.summary.map(({ text }) => ({ type: 'summary_text', text })),
        content: item.content?.length ? item.content.map(({ type, text }) => ({ type, text })) : undefined,
        encrypted_content: item.encrypted_content,
      };
    case 'function_call': {
      const { type, namespace, name, arguments: args, call_id } = item;
      return { type, id, namespace, name, arguments: replayedArguments(args), call_id };
    }
    case 'custom_tool_call': {
      if (!form.customTools) return itemToWire(asFunctionCall(item), form);
      const { type, status, call_id, name, input } = item;
      return { type, id, status, call_id, name, input };
    }
    case 'function_call_output':
      return { type: item.type, call_id: item.call_id, output: outputToWire(item.output) };
    case 'custom_tool_call_output':
      return {
        type: form.customTools ? item.type : 'function_call_output',
        call_id: item.call_id,
        output: outputToWire(item.output),
      };
    case 'local_shell_call': {
      if (!form.localShell) return itemToWire(asShellCall(item, callIdOf(item) ?? ''), form);
      const { type, call_id, status, action } = item;
      // The output has the id of the item where the call has none.
      if (foreign && !call_id) return { type, id: undefined, call_id: item.id, status, action };
      return { type, id: call_id ? id : item.id, call_id, status, action };
    }
    case 'web_search_call':
      return { type: item.type, id, status: item.status, action: item.action };
  }
}

function item_id(item: ResponseItem): string | undefined {
  return 'id' in item ? item.id : undefined;
}

function roleToWire({ role }: MessageItem, { developerRole }: ItemForm): string {
  return role === 'developer' && !developerRole ? 'user' : role;
}

function partToWire(part: ContentPart): Record<string, unknown> {
  return part.type === 'input_image' ? imageToWire(part) : { type: part.type, text: part.text };
}

function outputToWire(output: string | readonly OutputPart[]): unknown {
  return typeof output === 'string' ? output : output.map(partToWire);
}

function imageToWire({ type, image_url, detail }: Extract<ContentPart, { type: 'input_image' }>) {
  return { type, image_url, detail };
}

// ---------------------------------------------------------------- from the server

/**
 * The item for history. Calls without a call id get one. `undefined` for unknown and unreadable items: they are
 * skipped, not fatal.
 */
export function itemFromWire(wire: unknown, newCallId: () => string): ResponseItem | undefined {
  if (typeof wire !== 'object' || wire === null) return undefined;
  const parsed = responseItemSchema.safeParse(completed(wire as WireItem, newCallId));
  return parsed.success ? parsed.data : undefined;
}

type WireItem = Readonly<Record<string, unknown>>;

function completed(wire: WireItem, newCallId: () => string): unknown {
  const item = withoutNulls(wire);
  switch (item['type']) {
    case 'message':
      return { role: 'assistant', ...item, content: contentFromWire(item['content']), phase: phaseFromWire(item) };
    case 'reasoning':
      return { ...item, summary: textParts(item['summary']), content: textParts(item['content']) };
    case 'function_call': {
      const args = item['arguments'] ?? '';
      const text = typeof args === 'string' ? args : JSON.stringify(args);
      return { ...item, arguments: text, call_id: nonEmpty(item['call_id']) ?? newCallId() };
    }
    case 'custom_tool_call':
      return { ...item, input: item['input'] ?? '', call_id: nonEmpty(item['call_id']) ?? newCallId() };
    case 'local_shell_call':
      return { ...item, call_id: nonEmpty(item['call_id']) ?? nonEmpty(item['id']) ?? newCallId() };
    default:
      return item;
  }
}

/** `null` means “absent” on the wire, except where it is a value of its own. `origin` is a field of rollouts. */
function withoutNulls(wire: WireItem): WireItem {
  const entries = Object.entries(wire).filter(
    ([name, value]) => (value !== null || name === 'encrypted_content') && name !== 'origin',
  );
  return Object.fromEntries(entries);
}

function contentFromWire(content: unknown): readonly ContentPart[] {
  if (typeof content === 'string') return [{ type: 'output_text', text: content }];
  return partsOf(content).flatMap((part): ContentPart[] => {
    if (typeof part['text'] === 'string') {
      const citations = citationsIn(part['annotations']);
      return [{ type: 'output_text', text: part['text'], ...(citations.length > 0 ? { citations } : {}) }];
    }
    // A refusal is treated as the text of the message.
    return typeof part['refusal'] === 'string' ? [{ type: 'output_text', text: part['refusal'] }] : [];
  });
}

/** In a message; a server may name a page once for each sentence. */
const MOST_CITATIONS = 50;

/** Each web page once, in the order of the text. */
function citationsIn(annotations: unknown): Citation[] {
  const byUrl = new Map<string, Citation>();
  for (const { type, url, title } of partsOf(annotations)) {
    if (type !== 'url_citation' || typeof url !== 'string' || !/^https?:\/\//i.test(url)) continue;
    if (!byUrl.has(url)) byUrl.set(url, { url, title: typeof title === 'string' ? title : '' });
  }
  return [...byUrl.values()].slice(0, MOST_CITATIONS);
}

function textParts(parts: unknown): unknown {
  return parts === undefined ? undefined : partsOf(parts).filter((part) => typeof part['text'] === 'string');
}

function phaseFromWire(item: WireItem): unknown {
  return ['commentary', 'partial_answer', 'final_answer'].includes(String(item['phase'])) ? item['phase'] : undefined;
}

function partsOf(value: unknown): readonly WireItem[] {
  if (!Array.isArray(value)) return [];
  return value.filter((part): part is WireItem => typeof part === 'object' && part !== null);
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
