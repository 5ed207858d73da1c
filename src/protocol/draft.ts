/** Computes the text in the composer, for the panel and the host, which both keep it. */

/** A queued message that is being edited in the composer. */
export interface QueuedEdit {
  readonly id: string;
  /** Its text when the edit started. */
  readonly original: string;
  /** The text of the composer before the edit. */
  readonly draft: string;
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
