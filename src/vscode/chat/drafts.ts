import type * as vscode from 'vscode';
import { draftAfterEdit, onNewLine, type QueuedEdit } from '../../protocol/draft.ts';
import type { EventMsgOf } from '../../protocol/event.ts';
import { ownValue } from '../../protocol/ownValue.ts';

const DRAFTS = 'tiller.drafts';
const EDITS = 'tiller.queuedEdits';
/** The key of the draft for a thread that does not exist yet. */
const NEW_THREAD = '';
/** The most threads with a draft; the oldest drafts are dropped. */
const KEPT = 50;

/** Unsent text by thread: a new message, or an edit of a queued one. */
export class Drafts {
  readonly #memento: vscode.Memento;

  constructor(memento: vscode.Memento) {
    this.#memento = memento;
  }

  get(threadId: string | null): string {
    return ownValue(this.#all<string>(DRAFTS), threadId ?? NEW_THREAD) ?? '';
  }

  /** The queued message that the text is an edit of. */
  editOf(threadId: string | null): QueuedEdit | null {
    return ownValue(this.#all<QueuedEdit>(EDITS), threadId ?? NEW_THREAD) ?? null;
  }

  set(threadId: string | null, text: string, edit: QueuedEdit | null = null): void {
    this.#put(DRAFTS, threadId ?? NEW_THREAD, text === '' ? null : text);
    this.#put(EDITS, threadId ?? NEW_THREAD, edit);
  }

  /** Returns a message to the draft that no turn has taken. */
  append(threadId: string, text: string): void {
    this.set(threadId, onNewLine(this.get(threadId), text), this.editOf(threadId));
  }

  /** A message is no longer queued. If it was being edited here, the edit becomes the draft; otherwise returns false. */
  endEdit(threadId: string, { id, reason }: EventMsgOf<'input_dequeued'>): boolean {
    const edit = this.editOf(threadId);
    if (edit?.id !== id) return false;
    this.set(threadId, draftAfterEdit(this.get(threadId), edit, reason));
    return true;
  }

  #put(key: string, threadId: string, value: unknown): void {
    const { [threadId]: before, ...others } = this.#all(key);
    if (value === null && before === undefined) return;
    const kept = Object.fromEntries(Object.entries(others).slice(1 - KEPT));
    void this.#memento.update(key, value === null ? kept : { ...kept, [threadId]: value });
  }

  #all<Value>(key: string): Readonly<Record<string, Value>> {
    return this.#memento.get<Readonly<Record<string, Value>>>(key, {});
  }
}
