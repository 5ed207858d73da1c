/** Saves files that were clean at once, so that commands see the edit and no tab opens (docs/design.md decision 5). */
import { documentAt } from '../workspace/documents.ts';
import { textContent } from '../workspace/textContent.ts';
import type { ApplyContext } from './applyContext.ts';
import type { BufferEdit, EditStep } from './model.ts';

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
  const { step, wasDirty, version } = edit;
  const current = step.file.notebook === undefined ? documentAt(step.file.uri) : undefined;
  const document = current ?? edit.document;
  const unsaved = { saved: false, text: edit.after };
  if (!isSavedWhen(step, wasDirty)) return unsaved;
  // The user has typed since and decides when to save.
  if (document.version !== version) return document.isDirty ? unsaved : diskText(edit, context);
  const result = await context.guard.save(document, step.file.path);
  if (result === 'elsewhere') return { ...unsaved, elsewhere: true };
  return result === 'saved' ? diskText(edit, context) : unsaved;
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
