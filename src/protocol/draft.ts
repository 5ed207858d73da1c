/** Computes the draft in the composer. The panel and the host use the same functions, because both keep the draft. */
import type { Mention, UserInput } from './item.ts';
import { mentionRanges } from './text/mentionTokens.ts';

/** A part of a draft besides its text. */
export interface Attachment {
  readonly part: Exclude<UserInput, { type: 'text' }>;
  /** True if the text contains the attachment as `@name`. It is then only sent while the text does. */
  readonly inText: boolean;
}

/**
 * The prefix of the id of a mention whose text was copied when it was attached: a part of a terminal's output, or one
 * diff.
 */
export const COPY_ID = 'copy:';

/**
 * Returns a mention without the content that was read for it, so that the content is read again. A dropped file keeps
 * its text, because its place is not known; so does a copy.
 */
function unsent({ name, path, kind, lines, quote, id, text }: Mention): Mention {
  const isCopy = path === '' && text !== undefined && (kind === 'file' || id?.startsWith(COPY_ID) === true);
  const place = { ...(lines && { lines }), ...(quote && { quote }) };
  const known = { ...(kind && { kind }), ...place, ...(id && { id }), ...(isCopy && { text }) };
  return { type: 'mention', name, path, ...known };
}

/** Returns the attachments of a message that was sent or queued, for a draft with the same content. */
export function attachmentsOf(input: readonly UserInput[]): readonly Attachment[] {
  const text = input.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const names = input.flatMap((part) => (part.type === 'mention' ? [part.name] : []));
  const named = new Set(mentionRanges(text, names).map(({ name }) => name));
  return input.flatMap((part): readonly Attachment[] => {
    if (part.type === 'text') return [];
    if (part.type !== 'mention') return [{ part, inText: false }];
    // It is derived from the text, and is added again when the text is sent.
    if (isRunByText(part)) return [];
    return [{ part: unsent(part), inText: named.has(part.name) }];
  });
}

/** Returns true for a skill or a prompt that the text of the message runs. */
export function isRunByText(part: UserInput): part is Mention & { readonly kind: 'skill' | 'prompt' } {
  return part.type === 'mention' && (part.kind === 'skill' || part.kind === 'prompt');
}

interface EditOf<Type extends string> {
  readonly type: Type;
  readonly id: string;
  /** The text of the message when the edit started. */
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
  /** True if the files that were changed since the message are restored, too. */
  readonly restoresFiles: boolean;
};

export type DraftEdit = QueuedEdit | SentEdit;

/** The parts of a draft besides its text. */
export interface DraftParts {
  /** The message that the user edits; `null` if the draft is a new message. */
  readonly edit: DraftEdit | null;
  readonly attachments: readonly Attachment[];
}

/** The images of a draft, and those of the draft that returns after its edit. */
export interface DraftImages {
  readonly draft: readonly Attachment[];
  readonly edit: readonly Attachment[];
}

/** Separates the images from the rest: they are large, so they are not written again with every change of the text. */
export function partImages({ edit, attachments }: DraftParts): { parts: DraftParts; images: DraftImages } {
  const others = (all: readonly Attachment[]) => all.filter((attachment) => !isImage(attachment));
  const kept = edit?.attachments && { ...edit, attachments: others(edit.attachments) };
  return {
    parts: { edit: kept ?? edit, attachments: others(attachments) },
    images: { draft: attachments.filter(isImage), edit: edit?.attachments?.filter(isImage) ?? [] },
  };
}

/** Combines what `partImages` has separated. The order of attachments may differ. */
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

/** Adds a message that was returned to the composer during an edit to the draft that is restored after the edit. */
export function withReturned(edit: SentEdit, text: string, attachments: readonly Attachment[]): SentEdit {
  return {
    ...edit,
    draft: onNewLine(edit.draft, text),
    attachments: [...(edit.attachments ?? []), ...attachments],
  };
}

/** Returns the input to send a message again: its text, then its attachments without content, which is read again. */
export function unsentInput(input: readonly UserInput[]): UserInput[] {
  const textParts = input.filter((part) => part.type === 'text');
  return [...textParts, ...attachmentsOf(input).map(({ part }) => part)];
}

/** Joins two texts. The second one begins a new line. */
export function onNewLine(text: string, addition: string): string {
  if (text === '' || addition === '') return text + addition;
  return `${text}\n${addition}`;
}

/**
 * Returns the draft after the edited message has left the queue before its edit was sent. Typed text is not lost.
 * Unchanged text is only kept if the message was dropped; otherwise a turn has taken it, or the user withdrew it.
 */
export function draftAfterEdit(text: string, edit: QueuedEdit, reason: 'joined' | 'withdrawn' | 'dropped'): string {
  if (reason === 'dropped') return onNewLine(edit.draft, text.trim() === '' ? edit.original : text);
  return text === edit.original ? edit.draft : onNewLine(edit.draft, text);
}
