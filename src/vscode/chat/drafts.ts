import type * as vscode from 'vscode';
import { type Attachment, type DraftEdit, draftAfterEdit, onNewLine, withReturned } from '../../protocol/draft.ts';
import type { EventMsgOf } from '../../protocol/event.ts';
import { ownValue } from '../../protocol/ownValue.ts';

const DRAFTS = 'tiller.drafts';
const EDITS = 'tiller.queuedEdits';
const ATTACHMENTS = 'tiller.draftAttachments';
/** The key of the draft for a thread that does not exist yet. */
const NEW_THREAD = '';
/** The most threads with a draft; the oldest drafts are dropped. */
const KEPT = 50;

/** Unsent text by thread: a new message, or an edit of a queued or an earlier one. */
export class Drafts {
  readonly #memento: vscode.Memento;
  /** Pasted images of drafts. Not in the memento, which VS Code keeps in memory and writes whole at every change. */
  readonly #images = new Map<string, readonly Attachment[]>();

  constructor(memento: vscode.Memento) {
    this.#memento = memento;
  }

  get(threadId: string | null): string {
    return ownValue(this.#all<string>(DRAFTS), threadId ?? NEW_THREAD) ?? '';
  }

  /** The message that the text is an edit of. */
  editOf(threadId: string | null): DraftEdit | null {
    const edit = ownValue(this.#all<DraftEdit>(EDITS), threadId ?? NEW_THREAD);
    // Earlier versions stored only edits of queued messages, without a type.
    return edit === undefined || edit.type === 'sent' ? (edit ?? null) : { ...edit, type: 'queued' };
  }

  /** What goes with the text. */
  attachmentsOf(threadId: string | null): readonly Attachment[] {
    const key = threadId ?? NEW_THREAD;
    const kept = ownValue(this.#all<readonly Attachment[]>(ATTACHMENTS), key) ?? [];
    return [...kept, ...(this.#images.get(key) ?? [])];
  }

  /** `images`: `null` for those that it has. */
  set(
    threadId: string | null,
    text: string,
    edit: DraftEdit | null = null,
    attachments: readonly Attachment[] = [],
    images: readonly Attachment[] | null = attachments.filter(isImage),
  ): void {
    const key = threadId ?? NEW_THREAD;
    this.#put(DRAFTS, key, text === '' ? null : text);
    this.#put(EDITS, key, edit);
    const kept = attachments.filter((one) => !isImage(one));
    this.#put(ATTACHMENTS, key, kept.length === 0 ? null : kept);
    if (images?.length === 0) this.#images.delete(key);
    else if (images !== null) this.#images.set(key, images);
  }

  /** Returns a message to the draft that no turn has taken. */
  append(threadId: string | null, text: string, attachments: readonly Attachment[]): void {
    const edit = this.editOf(threadId);
    if (edit?.type === 'sent') {
      return this.set(
        threadId,
        this.get(threadId),
        withReturned(edit, text, attachments),
        this.attachmentsOf(threadId),
      );
    }
    const all = [...this.attachmentsOf(threadId), ...attachments];
    this.set(threadId, onNewLine(this.get(threadId), text), edit, all);
  }

  /** A message is no longer queued. If it was being edited here, the edit becomes the draft; otherwise returns false. */
  endEdit(threadId: string, { id, reason }: EventMsgOf<'input_dequeued'>): boolean {
    const edit = this.editOf(threadId);
    if (edit?.type !== 'queued' || edit.id !== id) return false;
    this.set(threadId, draftAfterEdit(this.get(threadId), edit, reason), null, [
      ...(edit.attachments ?? []),
      ...(reason === 'dropped' ? this.attachmentsOf(threadId) : []),
    ]);
    return true;
  }

  /** The edit of this earlier message was sent: the draft from before it returns. */
  endSent(threadId: string, itemId: string): void {
    const edit = this.editOf(threadId);
    if (edit?.type === 'sent' && edit.id === itemId) this.set(threadId, edit.draft, null, edit.attachments ?? []);
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

function isImage({ part }: Attachment): boolean {
  return part.type === 'image';
}
