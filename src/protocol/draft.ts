/** The text in the composer, as the panel and the host compute it: both keep it. */

/** A queued message that stands in the composer to be edited. */
export interface QueuedEdit {
  readonly id: string;
  /** Its text when the edit began. */
  readonly original: string;
  /** What stood in the composer before. */
  readonly draft: string;
}

/** Two texts, the second on a line of its own. */
export function onNewLine(text: string, addition: string): string {
  if (text === '' || addition === '') return text + addition;
  return `${text}\n${addition}`;
}

/**
 * The draft when the message stops being queued before its edit was sent: nothing that was typed is lost. An unchanged
 * text is kept only where the message was dropped; otherwise a turn has it, or the user did not want it.
 */
export function draftAfterEdit(text: string, edit: QueuedEdit, reason: 'joined' | 'withdrawn' | 'dropped'): string {
  if (reason === 'dropped') return onNewLine(edit.draft, text.trim() === '' ? edit.original : text);
  return text === edit.original ? edit.draft : onNewLine(edit.draft, text);
}
