/** Computes the text in the composer, for the panel and the host, which both keep it. */
import type { Mention, UserInput } from './item.ts';
import { mentionRanges } from './text/mentionTokens.ts';

/** A part of a message besides its text, while the message is written. */
export interface Attachment {
  readonly part: Exclude<UserInput, { type: 'text' }>;
  /** The text contains it as `@name`; it is sent only while it does. */
  readonly inText: boolean;
}

/** The begin of the id of a mention whose text was copied when it was attached: a part of a terminal, one diff. */
export const COPY_ID = 'copy:';

/**
 * A mention before it is sent: content that was read for it is left out, so that it is read again. A dropped file keeps
 * its text, because its place is not known, and so does a copy.
 */
function unsent({ name, path, kind, lines, quote, id, text }: Mention): Mention {
  const isCopy = path === '' && text !== undefined && (kind === 'file' || id?.startsWith(COPY_ID) === true);
  const place = { ...(lines && { lines }), ...(quote && { quote }) };
  const known = { ...(kind && { kind }), ...place, ...(id && { id }), ...(isCopy && { text }) };
  return { type: 'mention', name, path, ...known };
}

/** The attachments of a message that was sent or queued, to write it again. */
export function attachmentsOf(input: readonly UserInput[]): readonly Attachment[] {
  const text = input.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const names = input.flatMap((part) => (part.type === 'mention' ? [part.name] : []));
  const named = new Set(mentionRanges(text, names).map(({ name }) => name));
  return input.flatMap((part): readonly Attachment[] => {
    if (part.type === 'text') return [];
    if (part.type !== 'mention') return [{ part, inText: false }];
    // It follows from the text, and is added again when that is sent.
    if (isRunByText(part)) return [];
    return [{ part: unsent(part), inText: named.has(part.name) }];
  });
}

/** A skill or a prompt that the text of the message runs. */
export function isRunByText(part: UserInput): part is Mention & { readonly kind: 'skill' | 'prompt' } {
  return part.type === 'mention' && (part.kind === 'skill' || part.kind === 'prompt');
}

interface EditOf<Type extends string> {
  readonly type: Type;
  readonly id: string;
  /** Its text when the edit started. */
  readonly original: string;
  /** The text of the composer before the edit. */
  readonly draft: string;
  readonly attachments?: readonly Attachment[] | undefined;
}

/** A queued message that is being edited in the composer. `id`: the submission that queued it. */
export type QueuedEdit = EditOf<'queued'>;

/**
 * A message that began a turn and is being edited in the composer: sending it goes back to before that turn. `id`: the
 * item of the message.
 */
export type SentEdit = EditOf<'sent'> & {
  /** Files that were changed since are restored, too. */
  readonly restoresFiles: boolean;
};

export type DraftEdit = QueuedEdit | SentEdit;

/** The parts of a draft besides its text. */
export interface DraftParts {
  /** The message that the draft is an edit of. */
  readonly edit: DraftEdit | null;
  readonly attachments: readonly Attachment[];
}

/** The images of a draft, and those of the draft that returns after its edit. */
export interface DraftImages {
  readonly draft: readonly Attachment[];
  readonly edit: readonly Attachment[];
}

/** Parts the images from the rest: they are large, so they are not written with every change of the text. */
export function partImages({ edit, attachments }: DraftParts): { parts: DraftParts; images: DraftImages } {
  const others = (all: readonly Attachment[]) => all.filter((attachment) => !isImage(attachment));
  const kept = edit?.attachments && { ...edit, attachments: others(edit.attachments) };
  return {
    parts: { edit: kept ?? edit, attachments: others(attachments) },
    images: { draft: attachments.filter(isImage), edit: edit?.attachments?.filter(isImage) ?? [] },
  };
}

/** Undoes `partImages`, but for the order. */
export function withImages({ edit, attachments }: DraftParts, images: DraftImages): DraftParts {
  const isWhole = edit === null || images.edit.length === 0;
  return {
    edit: isWhole ? edit : { ...edit, attachments: [...(edit.attachments ?? []), ...images.edit] },
    attachments: [...attachments, ...images.draft],
  };
}

function isImage({ part }: Attachment): boolean {
  return part.type === 'image';
}

/** A message that comes back to the composer during an edit belongs to the draft that returns after it. */
export function withReturned(edit: SentEdit, text: string, attachments: readonly Attachment[]): SentEdit {
  return {
    ...edit,
    draft: onNewLine(edit.draft, text),
    attachments: [...(edit.attachments ?? []), ...attachments],
  };
}

/** A message as it would be sent again: its text, then its attachments, to be read again. */
export function unsentInput(input: readonly UserInput[]): UserInput[] {
  const textParts = input.filter((part) => part.type === 'text');
  return [...textParts, ...attachmentsOf(input).map(({ part }) => part)];
}

/** Joins two texts, the second on a new line. */
export function onNewLine(text: string, addition: string): string {
  if (text === '' || addition === '') return text + addition;
  return `${text}\n${addition}`;
}

/**
 * The draft after the message stopped being queued before its edit was sent, without losing typed text. An unchanged
 * text is kept only if the message was dropped; otherwise a turn has it, or the user withdrew it.
 */
export function draftAfterEdit(text: string, edit: QueuedEdit, reason: 'joined' | 'withdrawn' | 'dropped'): string {
  if (reason === 'dropped') return onNewLine(edit.draft, text.trim() === '' ? edit.original : text);
  return text === edit.original ? edit.draft : onNewLine(edit.draft, text);
}
