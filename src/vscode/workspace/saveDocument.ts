import type * as vscode from 'vscode';
import { hasUnsavedText } from './documents.ts';
import { withinSeconds } from './withinSeconds.ts';

/** A formatter that does not return blocks `save()` without end (workspace-edits.md §4). */
const SAVE_SECONDS = 5;

/** A text document, or a notebook. */
type Saveable = Pick<vscode.TextDocument, 'uri' | 'isDirty' | 'save'>;

/** Never rejects; false when it cannot be saved, or not in time. */
export async function saveDocument(document: Saveable): Promise<boolean> {
  const saved = await withinSeconds(SAVE_SECONDS, document.save()).catch(() => false);
  return saved === undefined ? false : saved || isSavedBesides(document);
}

/**
 * While VS Code prepares a save of its own (auto-save, for one), it refuses ours at once, but that save includes our
 * text. Measured on 1.139: `save()` is false, and the text is on the disk once the other save has completed.
 */
async function isSavedBesides(document: Saveable): Promise<boolean> {
  for (let waited = 0; hasUnsavedText(document) && waited < 1000; waited += 50) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return !hasUnsavedText(document);
}
