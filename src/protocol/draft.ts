/** Computes the text in the composer, for the panel and the host, which both keep it. */
import type { Mention, UserInput } from './item.ts';
import { mentionRanges } from './text/mentionTokens.ts';

/** What goes with the text of a message that is being written. */
export interface Attachment {
  readonly part: Exclude<UserInput, { type: 'text' }>;
  /** It stands in the text as `@name`, and is sent only while it does. */
  readonly inText: boolean;
}

/**
 * A mention as it is written: what was read for it when it was sent is left out, so that it is read again. A dropped file
 * keeps its text, as its place is not known.
 */
function unsent({ name, path, kind, lines, id, text }: Mention): Mention {
  const isDropped = kind === 'file' && path === '' && text !== undefined;
  const known = { ...(kind && { kind }), ...(lines && { lines }), ...(id && { id }), ...(isDropped && { text }) };
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
    return [{ part: unsent(part), inText: named.has(part.name) }];
  });
}

/** A queued message that is being edited in the composer. */
export interface QueuedEdit {
  readonly id: string;
  /** Its text when the edit started. */
  readonly original: string;
  /** The text of the composer before the edit. */
  readonly draft: string;
  /** Its attachments. */
  readonly attachments?: readonly Attachment[] | undefined;
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
