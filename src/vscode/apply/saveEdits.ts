/** Saves files that were clean at once, so that commands see the edit and no tab opens (docs/design.md decision 5). */
import { documentAt, hasUnsavedText } from '../workspace/documents.ts';
import { textContent } from '../workspace/textContent.ts';
import type { ApplyContext } from './applyContext.ts';
import type { BufferEdit, EditedDocument, EditStep } from './model.ts';

export interface SaveOutcome {
  /** False: the text is in the buffer only, not on the disk. */
  readonly saved: boolean;
  /** The resulting text, with changes by formatters and the user. */
  readonly text: string;
  /** The bytes that were saved, of a notebook. */
  readonly bytes?: Uint8Array;
  /** Set when VS Code has saved it but the file does not hold it: its path led elsewhere at that moment. */
  readonly elsewhere?: true;
}

/** Returns true if the edit is saved. `isDirty`: the buffer has unsaved edits of the user. */
export function isSavedWhen({ saving }: Pick<EditStep, 'saving'>, isDirty: boolean): boolean {
  return saving === 'always' || (saving === 'if_clean' && !isDirty);
}

/** Never rejects: a file that cannot be saved stays unsaved. */
export async function saveEdit(edit: BufferEdit, context: ApplyContext): Promise<SaveOutcome> {
  const { step, wasDirty } = edit;
  const current = step.file.notebook === undefined ? documentAt(step.file.uri) : undefined;
  const document = current ?? edit.document;
  const unsaved = { saved: false, text: edit.after };
  if (!isSavedWhen(step, wasDirty)) return unsaved;
  // The user has typed since and decides when to save.
  if (isChangedSince(edit, document)) return hasUnsavedText(document) ? unsaved : diskText(edit, context);
  if (edit.hunks.length === 0 && !hasUnsavedText(document)) return diskText(edit, context);
  const result = await context.guard.save(document, step.file.path);
  if (result === 'elsewhere') return { ...unsaved, elsewhere: true };
  return result === 'saved' ? diskText(edit, context) : unsaved;
}

/** The version of a notebook also counts what VS Code does itself: it forgets the executions of a cell whose text changes. */
function isChangedSince({ step, version, after }: BufferEdit, document: EditedDocument): boolean {
  return step.file.notebook === undefined ? document.version !== version : document.getText() !== after;
}

async function diskText({ step, after, document }: BufferEdit, { files }: ApplyContext): Promise<SaveOutcome> {
  try {
    const { uri, path, notebook } = step.file;
    const bytes = await files.read(path);
    if (notebook !== undefined) return { saved: true, text: document.getText(), bytes };
    const content = await textContent(uri, bytes);
    return { saved: true, text: content?.text ?? after };
  } catch {
    return { saved: false, text: after };
  }
}
