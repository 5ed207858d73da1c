/**
 * The list above the composer: the files and other things that a word beginning with `@` may name, or the commands and
 * values for a text beginning with `/`.
 */
import { computed, effect, signal } from '@preact/signals';
import { fuzzyMatch } from '../../src/protocol/text/fuzzyMatch.ts';
import { mentionQueryAt } from '../../src/protocol/text/mentionTokens.ts';
import type { HostMessage, MentionRow } from '../../src/protocol/wire.ts';
import { setDraft } from '../actions.ts';
import { post } from '../bridge.ts';
import { attachments, draft } from '../store.ts';
import { type CommandQuery, commandQuery, findCommands, findValues } from './commands.ts';
import { mentionIcon, rangesOf, withMention } from '../text/attachments.ts';

export interface Suggestion {
  readonly key: string;
  readonly icon: string;
  readonly label: string;
  readonly detail: string;
  /** Indices of the matched characters of the label. */
  readonly positions: readonly number[];
  /** The reason why the row cannot be selected. */
  readonly refused?: string | undefined;
  /** True for the present value of the setting. */
  readonly isCurrent?: boolean | undefined;
  readonly take: Taking;
}

type Taking =
  | { readonly type: 'mention'; readonly row: MentionRow }
  /** Completes the command's name, and shows its values. */
  | { readonly type: 'complete'; readonly text: string }
  | { readonly type: 'run'; readonly run: () => void };

/** A replacement for a part of the text. */
export interface Replacement {
  readonly start: number;
  /** `null`: the position of the caret. */
  readonly end: number | null;
  readonly text: string;
}

interface OpenList {
  /** The index of the `@`. */
  readonly start: number;
  readonly query: string;
  readonly id: number;
}

const open = signal<OpenList | null>(null);
/** The command that is being written. */
const typed = signal<CommandQuery | null>(null);
/** The host's answer to a query; it may be the answer to an earlier query. */
const found = signal<{ readonly id: number; readonly rows: readonly MentionRow[]; readonly isLast: boolean } | null>(
  null,
);
const chosenIndex = signal(0);
let ids = 0;
/** The `@` at which Esc closed the list. */
let dismissed: number | null = null;
/** The text for which `look` was called last; `null` while the composer has no focus. */
let looked: string | null = null;
/** True if the skills were requested for the present text, which begins with a slash. */
let hasSkills = false;
/** True if the user closed the list of this command with Esc. */
let isCommandDismissed = false;
/** The text and the list that was open when the composer lost the focus. */
let left: { readonly text: string; readonly at: OpenList } | null = null;

export const isOpen = computed(() => open.value !== null || typed.value !== null);
export const showsCommands = computed(() => typed.value !== null);
/** The rows to show. Until the rows of the newest query arrive, those of an earlier query that still fit are shown. */
export const suggestions = computed((): readonly Suggestion[] => {
  if (typed.value !== null) return commandRows(typed.value);
  const list = open.value;
  const answer = found.value;
  if (list === null || answer === null) return [];
  const { rows } = answer;
  const fitting = answer.id === list.id ? rows : rows.filter(({ mention }) => fuzzyMatch(list.query, mention.name));
  return fitting.map(suggestionOf);
});
export const activeIndex = computed(() => Math.max(0, Math.min(chosenIndex.value, suggestions.value.length - 1)));
export const active = computed(() => suggestions.value[activeIndex.value] ?? null);
export const isSearching = computed(
  () => open.value !== null && (found.value?.id !== open.value.id || !found.value.isLast),
);

function suggestionOf(row: MentionRow): Suggestion {
  const { mention, label, detail, positions, refused } = row;
  const icon = mentionIcon(mention.kind, mention.path);
  const key = `${mention.kind} ${mention.path} ${mention.name} ${mention.lines?.first ?? ''}`;
  return { key, icon, label, detail, positions, refused, take: { type: 'mention', row } };
}

function commandRows(query: CommandQuery): readonly Suggestion[] {
  if (query.written === null) {
    return findCommands(query.name).map(({ command: { name, icon, help, run }, positions }) => ({
      key: name,
      icon,
      label: `/${name}`,
      detail: help,
      positions: positions.map((at) => at + 1),
      take: run === undefined ? { type: 'complete', text: `/${name} ` } : { type: 'run', run },
    }));
  }
  return findValues(query).map(({ label, detail, isCurrent, run }, index) => ({
    key: `${index} ${label}`,
    icon: isCurrent ? 'check' : 'blank',
    label,
    detail,
    positions: [],
    isCurrent,
    take: { type: 'run', run },
  }));
}

// An empty draft means that a message was sent or another thread is shown: what was remembered about the earlier text
// no longer applies.
effect(() => {
  if (draft.value !== '') return;
  dismissed = null;
  isCommandDismissed = false;
  hasSkills = false;
});

/**
 * Opens, updates or closes the list. Call after each change of the text or the caret; `caret` is `null` while text is
 * selected.
 */
export function look(text: string, caret: number | null): void {
  looked = text;
  if (lookForCommand(text)) return;
  const before = open.peek();
  const at = caret === null ? undefined : mentionQueryAt(text, caret);
  if (before !== null && at?.start !== before.start) takeWritten(before, text);
  if (at === undefined || at.start !== dismissed) dismissed = null;
  // A mention that the user has selected is complete until it is changed: it opens no list.
  const isTaken = at !== undefined && rangesOf(text, attachments.peek()).some(({ start }) => start === at.start);
  if (at === undefined || isTaken || dismissed === at.start) return close();
  if (before?.start === at.start && before.query === at.query) return;
  if (before?.start !== at.start) {
    found.value = null;
    chosenIndex.value = 0;
  }
  open.value = { ...at, id: ++ids };
  post({ type: 'find_mentions', id: ids, query: at.query });
}

/** Opens the list of commands if the text is one. The list closes if nothing fits: then the text is a message. */
function lookForCommand(text: string): boolean {
  const query = commandQuery(text);
  if (query === undefined) isCommandDismissed = false;
  if (query !== undefined && !hasSkills) post({ type: 'list_skills' });
  hasSkills = query !== undefined;
  const rows = query === undefined || isCommandDismissed ? [] : commandRows(query);
  if (query === undefined || rows.length === 0) {
    typed.value = null;
    return false;
  }
  close();
  const before = typed.peek();
  typed.value = query;
  if (before?.name !== query.name || before.written !== query.written) {
    const current = query.written === '' ? rows.findIndex(({ isCurrent }) => isCurrent === true) : 0;
    chosenIndex.value = Math.max(0, current);
  }
  return true;
}

/**
 * Opens the list of values for a command that the user has selected, even if Esc has closed the list of another
 * command.
 */
export function offer(command: string): void {
  isCommandDismissed = false;
  look(command, command.length);
}

/** Attaches a mention whose full name was typed and followed by a space, as if it had been selected in the list. */
function takeWritten({ start, query }: OpenList, text: string): void {
  if (query === '' || !/^\s/.test(text.slice(start + 1 + query.length)) || !text.startsWith(`@${query}`, start)) return;
  const row = found.peek()?.rows.find(({ mention, refused }) => mention.name === query && refused === undefined);
  if (row !== undefined) attach(row);
}

/** Call when the composer loses the focus. */
export function leave(): void {
  const at = open.peek();
  left = at === null || looked === null ? null : { text: looked, at };
  looked = null;
  close();
}

/**
 * Call when the composer gets the focus. Opens the list of mentions again if it was open when the composer lost the
 * focus: a window that is loading, or a notification, takes the focus for a moment.
 */
export function comeBack(text: string): void {
  if (left?.text === text) look(text, left.at.start + 1 + left.at.query.length);
  left = null;
}

/** Closes the list; the typed text stays. */
export function close(): void {
  typed.value = null;
  if (open.peek() === null) return;
  open.value = null;
  found.value = null;
  post({ type: 'close_mentions' });
}

/** Closes the list at Esc. It stays closed for this word. */
export function dismiss(): void {
  dismissed = open.peek()?.start ?? null;
  isCommandDismissed = typed.peek() !== null;
  close();
}

/** Moves the active row by 1 or -1; after the last row comes the first. */
export function step(by: number): void {
  const count = suggestions.peek().length;
  if (count > 0) chosenIndex.value = (activeIndex.peek() + by + count) % count;
}

/** Makes the row at an index active; the index is clamped to the list. */
export function moveTo(index: number): void {
  chosenIndex.value = Math.max(0, Math.min(index, suggestions.peek().length - 1));
}

/** Performs the action of a row. Returns the replacement in the draft; `undefined` if the row cannot be selected. */
export function take({ take: taking, refused }: Suggestion): Replacement | undefined {
  if (refused !== undefined) return undefined;
  switch (taking.type) {
    case 'mention': {
      const list = open.peek();
      if (list === null) return undefined;
      close();
      return { start: list.start, end: null, text: `@${attach(taking.row)} ` };
    }
    case 'complete':
      return { start: 0, end: Number.MAX_SAFE_INTEGER, text: taking.text };
    case 'run':
      close();
      taking.run();
      return { start: 0, end: Number.MAX_SAFE_INTEGER, text: '' };
  }
}

/** Attaches a mention. Returns the name by which the text must refer to it. */
function attach({ mention }: MentionRow): string {
  const { name, attachments: all } = withMention(draft.peek(), attachments.peek(), mention);
  setDraft(draft.peek(), all);
  return name;
}

/** Call after the store has taken the message. */
export function receiveRows(message: HostMessage): void {
  // If a command's name was typed or pasted at once, its skill may arrive only now: look it up again.
  if (message.type === 'skills' && looked !== null && typed.peek() === null) lookForCommand(looked);
  if (message.type !== 'mentions_found' || message.id !== open.peek()?.id) return;
  const { id, rows, isLast } = message;
  const before = found.peek();
  // The selection is an index: rows are appended, so that it stays on its row.
  found.value = before?.id === id ? { id, rows: [...before.rows, ...rows], isLast } : { id, rows, isLast };
  if (before?.id !== id) chosenIndex.value = 0;
}
