/** The list that opens while a word that begins with `@` is written in the composer. */
import { computed, signal } from '@preact/signals';
import { fuzzyMatch } from '../../src/protocol/text/fuzzyMatch.ts';
import { mentionQueryAt } from '../../src/protocol/text/mentionTokens.ts';
import type { HostMessage, MentionRow } from '../../src/protocol/wire.ts';
import { setDraft } from '../actions.ts';
import { post } from '../bridge.ts';
import { attachments, draft } from '../store.ts';
import { mentionIcon, rangesOf, withAttachments } from '../text/attachments.ts';

export interface Suggestion {
  readonly key: string;
  readonly icon: string;
  readonly label: string;
  readonly detail: string;
  /** Indices of the matched characters of the label. */
  readonly positions: readonly number[];
  /** Why it cannot be taken. */
  readonly refused?: string | undefined;
  readonly row: MentionRow;
}

interface OpenList {
  /** The index of the `@`. */
  readonly start: number;
  readonly query: string;
  readonly id: number;
}

const open = signal<OpenList | null>(null);
/** The answer to a query, which may be an earlier one. */
const found = signal<{ readonly id: number; readonly rows: readonly MentionRow[]; readonly isLast: boolean } | null>(
  null,
);
const place = signal(0);
let ids = 0;
/** The `@` at which Esc closed the list. */
let dismissed: number | null = null;

export const isOpen = computed(() => open.value !== null);
/** Rows of an earlier query are narrowed down until those of the newest arrive. */
export const suggestions = computed((): readonly Suggestion[] => {
  const list = open.value;
  const answer = found.value;
  if (list === null || answer === null) return [];
  const { rows } = answer;
  const fitting = answer.id === list.id ? rows : rows.filter(({ mention }) => fuzzyMatch(list.query, mention.name));
  return fitting.map(suggestionOf);
});
export const activeIndex = computed(() => Math.max(0, Math.min(place.value, suggestions.value.length - 1)));
export const active = computed(() => suggestions.value[activeIndex.value] ?? null);
export const isSearching = computed(
  () => open.value !== null && (found.value?.id !== open.value.id || !found.value.isLast),
);

function suggestionOf(row: MentionRow): Suggestion {
  const { mention, label, detail, positions, refused } = row;
  const icon = mentionIcon(mention.kind, mention.path);
  const key = `${mention.kind} ${mention.path} ${mention.name} ${mention.lines?.first ?? ''}`;
  return { key, icon, label, detail, positions, refused, row };
}

/** Call after each change of the text or the caret; `caret` is `null` while text is selected. */
export function look(text: string, caret: number | null): void {
  const before = open.peek();
  const at = caret === null ? undefined : mentionQueryAt(text, caret);
  if (before !== null && at?.start !== before.start) takeWritten(before, text);
  if (at === undefined || at.start !== dismissed) dismissed = null;
  // A mention that was taken is a whole word, until it is changed.
  const isTaken = at !== undefined && rangesOf(text, attachments.peek()).some(({ start }) => start === at.start);
  if (at === undefined || isTaken || dismissed === at.start) return close();
  if (before?.start === at.start && before.query === at.query) return;
  if (before?.start !== at.start) {
    found.value = null;
    place.value = 0;
  }
  open.value = { ...at, id: ++ids };
  post({ type: 'find_mentions', id: ids, query: at.query });
}

/** A name that was written in full and ended by a space counts like one that was selected. */
function takeWritten({ start, query }: OpenList, text: string): void {
  if (query === '' || !/^\s/.test(text.slice(start + 1 + query.length)) || !text.startsWith(`@${query}`, start)) return;
  const row = found.peek()?.rows.find(({ mention, refused }) => mention.name === query && refused === undefined);
  if (row !== undefined) attach(row);
}

export function close(): void {
  if (open.peek() === null) return;
  open.value = null;
  found.value = null;
  post({ type: 'close_mentions' });
}

/** Esc: the list stays closed for this word. */
export function dismiss(): void {
  dismissed = open.peek()?.start ?? null;
  close();
}

export function step(by: number): void {
  const count = suggestions.peek().length;
  if (count > 0) place.value = (activeIndex.peek() + by + count) % count;
}

/** Moves to a row, within the list. */
export function moveTo(index: number): void {
  place.value = Math.max(0, Math.min(index, suggestions.peek().length - 1));
}

/** What the word at the caret is replaced by. `undefined` for a row that cannot be taken. */
export function take(suggestion: Suggestion): { readonly start: number; readonly text: string } | undefined {
  const list = open.peek();
  if (list === null || suggestion.refused !== undefined) return undefined;
  close();
  attach(suggestion.row);
  return { start: list.start, text: `@${suggestion.row.mention.name} ` };
}

function attach({ mention }: MentionRow): void {
  setDraft(draft.peek(), withAttachments(attachments.peek(), [{ part: mention, inText: true }]));
}

export function receiveMentions(message: HostMessage): void {
  if (message.type !== 'mentions_found' || message.id !== open.peek()?.id) return;
  const { id, rows, isLast } = message;
  const before = found.peek();
  // Selected by name: rows that arrive later must not move the selection.
  found.value = before?.id === id ? { id, rows: [...before.rows, ...rows], isLast } : { id, rows, isLast };
  if (before?.id !== id) place.value = 0;
}
