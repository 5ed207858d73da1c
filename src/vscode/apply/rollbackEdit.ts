/** Removes an applied edit from its buffer, keeping the user's edits since. */
import { applyHunks, hunksTakingBack } from '../../core/patch/hunkAlgebra.ts';
import { documentAt, hasUnsavedText, tabsOf } from '../workspace/documents.ts';
import { sameBytes, textContent } from '../workspace/textContent.ts';
import type { ApplyContext } from './applyContext.ts';
import type { BufferEdit, EditedDocument } from './model.ts';
import { HOT_TRIES, replaceHunks } from './replaceHunks.ts';

/** False when the user has changed the lines of the edit since. */
export async function rollbackEdit(edit: BufferEdit, context: ApplyContext): Promise<boolean> {
  const { before, after, hunks } = edit;
  const { path } = edit.step.file;
  for (let attempt = 0; attempt < HOT_TRIES; attempt++) {
    const document = documentAt(edit.step.file.uri) ?? edit.document;
    const now = document.getText();
    const remaining = hunksTakingBack(hunks, { before, after, now });
    if (remaining === undefined) return false;
    const text = { before: now, after: applyHunks(now, remaining) };
    const done = context.watch?.edits({ uri: document.uri, path }, text);
    const isTaken = await replaceHunks(document.uri, remaining);
    done?.();
    if (isTaken) {
      const holdsOnlyOurs = now === after || now === before;
      if (holdsOnlyOurs && !edit.wasDirty) await settle(documentAt(document.uri) ?? document, edit, context);
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}

/** A file that was clean must be clean again; an inverse edit alone leaves it dirty. */
async function settle(document: EditedDocument, { step }: BufferEdit, { files, guard }: ApplyContext): Promise<void> {
  const { path } = step.file;
  // Not only when dirty: the event of a buffer's text comes before the event that it is dirty.
  if ((await guard.save(document, path)) !== 'saved') return;
  const bytes = step.file.disk?.bytes;
  // The file is not written while it is open in an editor: the user may be typing there, and VS Code would drop one of
  // the two texts. Changes by a formatter on save stay, as after any save.
  if (bytes === undefined || hasUnsavedText(document) || step.file.hadTab || tabsOf(document.uri).length > 0) return;
  const now = await files.read(path);
  const isOurSave = (await textContent(document.uri, now))?.text === document.getText();
  if (isOurSave && !sameBytes(now, bytes)) await files.write(path, bytes);
}
