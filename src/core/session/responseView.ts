import type { EventMsg } from '../../protocol/event.ts';
import type { ItemStatus, TurnItem, TurnItemOf } from '../../protocol/item.ts';
import { type MessageItem, type ReasoningItem, textOf, type WebSearchCallItem } from '../../protocol/responseItem.ts';
import type { Ids } from '../ports.ts';
import { searchShown } from './hostedSearch.ts';

/**
 * Shows one response while it streams: starts items, emits their deltas, and ends every item that it started. A message
 * is completed only at `commit`, when a failure of the stream can no longer repeat it: the partial text of a failed
 * attempt must not be shown beside the text of the next attempt.
 */
export class ResponseView {
  readonly #open = new Map<string, TurnItem>();
  readonly #emit: (msg: EventMsg) => void;
  readonly #ids: Ids;
  /** Complete, but not committed. */
  #finished: TurnItem[] = [];
  /** The text of the last committed message. */
  lastMessage: string | null = null;

  constructor(emit: (msg: EventMsg) => void, ids: Ids) {
    this.#emit = emit;
    this.#ids = ids;
  }

  message(key: string): TurnItemOf<'agent_message'> {
    return this.#get(key, 'agent_message', (id) => ({ id, type: 'agent_message', status: 'in_progress', text: '' }));
  }

  reasoning(key: string): TurnItemOf<'reasoning'> {
    return this.#get(key, 'reasoning', (id) => ({ id, type: 'reasoning', status: 'in_progress', summary: [] }));
  }

  webSearch(key: string): TurnItemOf<'web_search'> {
    return this.#get(key, 'web_search', (id) => ({ id, type: 'web_search', status: 'in_progress' }));
  }

  growText(key: string, text: string): void {
    const item = this.message(key);
    this.#open.set(key, { ...item, text: item.text + text });
    this.#emit({ type: 'item_delta', itemId: item.id, kind: 'text', text });
  }

  growSummary(key: string, text: string): void {
    const item = this.reasoning(key);
    const last = item.summary.length - 1;
    const summary = last < 0 ? [text] : item.summary.with(last, (item.summary[last] ?? '') + text);
    this.#open.set(key, { ...item, summary });
    this.#emit({ type: 'item_delta', itemId: item.id, kind: 'summary', text });
  }

  /** No break precedes the first section. */
  breakSection(key: string): void {
    const item = this.reasoning(key);
    if (item.summary.length === 0) return;
    this.#open.set(key, { ...item, summary: [...item.summary, ''] });
    this.#emit({ type: 'item_delta', itemId: item.id, kind: 'section_break', text: '' });
  }

  growRaw(key: string, text: string): void {
    const item = this.reasoning(key);
    this.#open.set(key, { ...item, raw: (item.raw ?? '') + text });
    this.#emit({ type: 'item_delta', itemId: item.id, kind: 'raw', text });
  }

  finishMessage(key: string, done: MessageItem): void {
    const item = this.message(key);
    const text = textOf(done.content);
    // A server may send the whole item without deltas, or omit some: the deltas must add up to the text of the item.
    if (text.startsWith(item.text) && text.length > item.text.length) this.growText(key, text.slice(item.text.length));
    this.#open.delete(key);
    const citations = done.content.flatMap((part) => (part.type === 'output_text' ? (part.citations ?? []) : []));
    const sources = citations.length > 0 ? { citations } : {};
    this.#finished.push({ ...item, text, ...sources, status: 'completed' });
  }

  /** `showRaw`: `null` shows the raw reasoning only where there is no summary. */
  finishReasoning(key: string, done: ReasoningItem, showRaw: boolean | null): void {
    const item = this.reasoning(key);
    const summary = done.summary.length > 0 ? done.summary.map((part) => part.text) : item.summary;
    const rawText = (done.content ?? []).map((part) => part.text).join('');
    const raw = (showRaw ?? summary.every((text) => text === '')) ? rawText || item.raw : undefined;
    const { raw: _grown, ...shown } = item;
    this.#complete(key, { ...shown, summary, ...(raw ? { raw } : {}), status: 'completed' });
  }

  finishWebSearch(key: string, done: WebSearchCallItem): TurnItemOf<'web_search'> {
    const status = done.status === 'failed' ? 'failed' : 'completed';
    const item = { ...this.webSearch(key), ...searchShown(done), status } as const;
    this.#complete(key, item);
    return item;
  }

  /** Completes the messages so far: no later attempt repeats them. */
  commit(): void {
    for (const item of this.#finished) {
      if (item.type === 'agent_message') this.lastMessage = item.text;
      this.#emit({ type: 'item_completed', item });
    }
    this.#finished = [];
  }

  /** The texts of messages that are not committed, in order; blank ones are left out. */
  get uncommitted(): readonly string[] {
    return [...this.#finished, ...this.#open.values()].flatMap((item) =>
      item.type === 'agent_message' && item.text.trim() !== '' ? [item.text] : [],
    );
  }

  /** The attempt failed: uncommitted messages are shown as aborted, and the history does not get them. */
  abandon(): void {
    for (const item of [...this.#finished, ...this.#open.values()]) {
      this.#emit({ type: 'item_completed', item: { ...item, status: 'aborted' satisfies ItemStatus } });
    }
    this.#finished = [];
    this.#open.clear();
  }

  #complete(key: string, item: TurnItem): void {
    this.#open.delete(key);
    this.#emit({ type: 'item_completed', item });
  }

  #get<Type extends TurnItem['type']>(
    key: string,
    type: Type,
    make: (id: string) => TurnItemOf<Type>,
  ): TurnItemOf<Type> {
    const known = this.#open.get(key);
    if (known?.type === type) return known as TurnItemOf<Type>;
    const item = make(this.#ids.next('item'));
    this.#open.set(key, item);
    this.#emit({ type: 'item_started', item });
    return item;
  }
}
