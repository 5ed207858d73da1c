import type * as vscode from 'vscode';
import {
  type Attachment,
  type DraftEdit,
  type DraftImages,
  type DraftParts,
  draftAfterEdit,
  onNewLine,
  partImages,
  withImages,
  withReturned,
} from '../../protocol/draft.ts';
import type { EventMsgOf } from '../../protocol/event.ts';
import { ownValue } from '../../protocol/ownValue.ts';
import type { PagePlace } from './chatPage.ts';
import type { DraftImageFiles } from './draftImages.ts';

const DRAFTS = 'tiller.drafts';
const EDITS = 'tiller.queuedEdits';
const ATTACHMENTS = 'tiller.draftAttachments';
const HELD = 'tiller.heldMessages';
const PLACE = 'tiller.draftPlace';
/** The key of the draft for a thread that does not exist yet. */
const NEW_THREAD = '';
/** The most threads with a draft; the oldest drafts are dropped. */
const KEPT = 50;

const NO_IMAGES: DraftImages = { draft: [], edit: [] };

/** A message that is neither sent nor in a draft. */
interface Held {
  readonly threadId: string | null;
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** Unsent text by thread: a new message, or an edit of a queued or an earlier one. */
export class Drafts {
  readonly #memento: Pick<vscode.Memento, 'get' | 'update'>;
  /** Images of drafts. Not in the memento, which VS Code keeps in memory and writes whole at every change. */
  readonly #images = new Map<string, DraftImages>();
  readonly #files: DraftImageFiles | undefined;
  #held: readonly Held[] = [];

  /**
   * Messages that were held when the window was closed are in the drafts of their threads. Without `files` a reload of the
   * window loses the images.
   */
  constructor(memento: Pick<vscode.Memento, 'get' | 'update'>, files?: DraftImageFiles) {
    this.#memento = memento;
    this.#files = files;
    const left = memento.get<readonly Held[]>(HELD, []);
    for (const { threadId, text, attachments } of left) this.append(threadId, text, attachments);
    if (left.length > 0) this.#keepHeld([]);
  }

  get(threadId: string | null): string {
    return ownValue(this.#all<string>(DRAFTS), threadId ?? NEW_THREAD) ?? '';
  }

  /** The message that the text is an edit of. */
  editOf(threadId: string | null): DraftEdit | null {
    return this.#partsOf(threadId).edit;
  }

  attachmentsOf(threadId: string | null): readonly Attachment[] {
    return this.#partsOf(threadId).attachments;
  }

  /**
   * The page that has changed a draft last, also before a reload of the window. What the other page has kept of the
   * draft is older.
   */
  get place(): PagePlace | undefined {
    return this.#memento.get<PagePlace>(PLACE);
  }

  set place(place: PagePlace) {
    if (place !== this.place) void this.#memento.update(PLACE, place);
  }

  #partsOf(threadId: string | null): DraftParts {
    const key = threadId ?? NEW_THREAD;
    const edit = ownValue(this.#all<DraftEdit>(EDITS), key);
    const parts = {
      // Earlier versions stored only edits of queued messages, without a type.
      edit: edit === undefined || edit.type === 'sent' ? (edit ?? null) : { ...edit, type: 'queued' as const },
      attachments: ownValue(this.#all<readonly Attachment[]>(ATTACHMENTS), key) ?? [],
    };
    return withImages(parts, this.#imagesOf(key));
  }

  #imagesOf(key: string): DraftImages {
    const known = this.#images.get(key) ?? this.#files?.read(key) ?? NO_IMAGES;
    this.#images.set(key, known);
    return known;
  }

  /** `images`: those that `edit` and `attachments` do not have; `null` for the same as before. */
  set(
    threadId: string | null,
    text: string,
    edit: DraftEdit | null = null,
    attachments: readonly Attachment[] = [],
    images?: DraftImages | null,
  ): void {
    const key = threadId ?? NEW_THREAD;
    const given = partImages({ edit, attachments });
    this.#put(DRAFTS, key, text === '' ? null : text);
    this.#put(EDITS, key, given.parts.edit);
    this.#put(ATTACHMENTS, key, given.parts.attachments.length === 0 ? null : given.parts.attachments);
    if (images === null) return;
    this.#keepImages(key, images ?? given.images);
  }

  #keepImages(key: string, kept: DraftImages): void {
    const had = this.#imagesOf(key);
    this.#images.set(key, kept);
    if (kept.draft.length + kept.edit.length > 0) this.#files?.write(key, kept);
    else if (had.draft.length + had.edit.length > 0) this.#files?.write(key, null);
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

  /**
   * Keeps a message while it is not decided whether it is sent: if the window is closed until then, the next one has it in
   * its draft, without its images. The returned function ends this.
   */
  hold(threadId: string | null, text: string, attachments: readonly Attachment[]): () => void {
    const held: Held = { threadId, text, attachments: partImages({ edit: null, attachments }).parts.attachments };
    this.#keepHeld([...this.#held, held]);
    return () => this.#keepHeld(this.#held.filter((message) => message !== held));
  }

  #keepHeld(held: readonly Held[]): void {
    this.#held = held;
    void this.#memento.update(HELD, held.length === 0 ? undefined : held);
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
