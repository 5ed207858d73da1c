/** State of the list of threads while it is open: query, rows, and the active row. */
import { computed, signal } from '@preact/signals';
import type { HostMessage, ThreadRow, WebviewMessage } from '../../src/protocol/wire.ts';
import { post } from '../bridge.ts';
import { composerFocus, threadId } from '../store.ts';
import { groupRows } from './threadGroups.ts';

export type ThreadScope = Extract<WebviewMessage, { type: 'list_threads' }>['scope'];

/** The number of rows rendered at first. Scrolling and the arrow keys add more. */
const FIRST_ROWS = 60;

export const isListOpen = signal(false);
export const scope = signal<ThreadScope>('workspace');
export const query = signal('');
/** The rows that the host has found; `null` until its first answer. */
const rows = signal<readonly ThreadRow[] | null>(null);
export const isLoading = computed(() => rows.value === null);
export const groups = computed(() => groupRows(rows.value ?? [], new Date()));
export const ordered = computed(() => groups.value.flatMap((group) => group.rows));
const wantedId = signal<string | null>(null);
/** The row that keys act on. */
export const activeRow = computed(
  () => ordered.value.find(({ id }) => id === wantedId.value) ?? ordered.value[0] ?? null,
);
export const shownRows = signal(FIRST_ROWS);
/** The row that is being renamed. */
export const renaming = signal<string | null>(null);
/** The thread that was deleted last while the list was open. */
export const deleted = signal<{ readonly id: string; readonly title: string | null } | null>(null);
/** The numbers of threads, without the shown one, that wait for the user or run. */
export const elsewhere = signal({ waiting: 0, running: 0 });

let arriving: ThreadRow[] = [];

/** Handles the messages about threads, and the messages that close the list. */
export function receiveThreadUpdate(message: HostMessage): void {
  switch (message.type) {
    case 'threads':
      arriving = message.isFirst ? [...message.rows] : [...arriving, ...message.rows];
      if (message.isLast) rows.value = arriving;
      return;
    case 'elsewhere':
      elsewhere.value = { waiting: message.waiting, running: message.running };
      return;
    case 'thread_deleted':
      deleted.value = { id: message.threadId, title: message.title };
      return;
    case 'show_threads':
      openList();
      if (message.rename !== undefined) rename(message.rename);
      return;
    case 'insert_text':
    case 'focus_composer':
      return closeList();
    default:
  }
}

/** Opens the list of threads. The shown thread is the active row. */
export function openList(): void {
  if (isListOpen.value) return;
  isListOpen.value = true;
  query.value = '';
  wantedId.value = threadId.value;
  ask();
}

/** Closes the list, and focuses the composer. */
export function closeList(): void {
  if (!isListOpen.value) return;
  isListOpen.value = false;
  renaming.value = null;
  deleted.value = null;
  rows.value = null;
  post({ type: 'close_threads' });
  composerFocus.value++;
}

let queryTimer: ReturnType<typeof setTimeout> | undefined;

/** Sends the query to the host, debounced. */
export function search(text: string): void {
  query.value = text;
  clearTimeout(queryTimer);
  queryTimer = setTimeout(ask, 120);
}

/** Switches between the threads of this workspace and those of all workspaces. */
export function toggleScope(): void {
  scope.value = scope.value === 'workspace' ? 'all' : 'workspace';
  ask();
}

function ask(): void {
  shownRows.value = FIRST_ROWS;
  if (isListOpen.value) post({ type: 'list_threads', scope: scope.value, query: query.value });
}

/** Shows more of the threads that were found. */
export function showMoreRows(): void {
  shownRows.value = Math.min(ordered.value.length, shownRows.value + 2 * FIRST_ROWS);
}

/** Makes the row active, without opening its thread. */
export function activate(id: string): void {
  wantedId.value = id;
}

/** Moves the active row by `step`, but not beyond the ends of the list. */
export function moveActive(step: number): void {
  const { value: list } = ordered;
  const index = list.findIndex(({ id }) => id === activeRow.value?.id);
  const next = Math.max(0, Math.min(list.length - 1, index + step));
  wantedId.value = list[next]?.id ?? null;
  while (next >= shownRows.value && shownRows.value < list.length) showMoreRows();
}

/** Shows the thread in the panel, and closes the list. */
export function openThread(id: string): void {
  if (id !== threadId.value) post({ type: 'open_thread', threadId: id });
  closeList();
}

/** Pins or unpins the thread. It stays the active row. */
export function togglePin(id: string): void {
  const row = ordered.value.find((known) => known.id === id);
  if (row === undefined) return;
  wantedId.value = id;
  const isPinned = !row.isPinned;
  rows.value = (rows.value ?? []).map((known) => (known.id === id ? { ...known, isPinned } : known));
  post({ type: 'pin_thread', threadId: id, isPinned });
}

/** Deletes the thread; the next row becomes the active one. */
export function remove(id: string): void {
  const index = ordered.value.findIndex((row) => row.id === id);
  wantedId.value = (ordered.value[index + 1] ?? ordered.value[index - 1])?.id ?? null;
  rows.value = (rows.value ?? []).filter((row) => row.id !== id);
  post({ type: 'delete_thread', threadId: id });
}

/** Restores the thread that was deleted last. */
export function restoreDeleted(): void {
  if (deleted.value === null) return;
  wantedId.value = deleted.value.id;
  post({ type: 'restore_thread', threadId: deleted.value.id });
  deleted.value = null;
}

/** Opens the field for a new title in the row. */
export function rename(id: string): void {
  wantedId.value = id;
  renaming.value = id;
}

/** Closes the field and renames the thread. A `title` that is `null`, empty or unchanged has no effect. */
export function endRename(title: string | null): void {
  const id = renaming.value;
  renaming.value = null;
  const before = ordered.value.find((row) => row.id === id)?.title ?? '';
  if (id === null || title === null || title.trim() === '' || title.trim() === before) return;
  rows.value = (rows.value ?? []).map((row) => (row.id === id ? { ...row, title: title.trim() } : row));
  post({ type: 'rename_thread', threadId: id, title: title.trim().slice(0, 200) });
}
