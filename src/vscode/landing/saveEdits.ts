/** The save rule: what was clean is saved at once, so that commands see it and no tab pops up (design decision 5). */
import * as vscode from 'vscode';
import { documentAt } from '../workspace/documents.ts';
import { textContent } from '../workspace/textContent.ts';
import type { BufferEdit } from './model.ts';
import { withinSeconds } from './withinSeconds.ts';

/** A formatter that hangs keeps `save()` waiting for ever (workspace-edits.md §4). */
const SAVE_SECONDS = 5;

export interface SaveOutcome {
  /** False: the text stands in the buffer, not on the disk. */
  readonly saved: boolean;
  /** The text that was left, with what formatters and the person made of it. */
  readonly text: string;
}

/** Never rejects: a file that cannot be saved stays as the person would find it, unsaved. */
export async function saveEdit(edit: BufferEdit): Promise<SaveOutcome> {
  const { step, wasDirty, version } = edit;
  const document = documentAt(step.file.uri) ?? edit.document;
  const unsaved = { saved: false, text: edit.after };
  if (wasDirty && !step.savesDirty) return unsaved;
  // Whoever typed since decides when that is saved.
  if (document.version !== version) return document.isDirty ? unsaved : diskText(edit);
  return (await saveDocument(document)) ? diskText(edit) : unsaved;
}

/** Never rejects; false when it cannot be saved, or not soon. */
export async function saveDocument(document: vscode.TextDocument): Promise<boolean> {
  const saved = await withinSeconds(SAVE_SECONDS, document.save()).catch(() => false);
  return saved === undefined ? false : saved || isSavedBesides(document);
}

/**
 * While VS Code prepares a save of its own, auto-save for one, it refuses ours at once; and then takes our text along.
 * Measured on 1.139: `save()` is false, the text on the disk as soon as the other save is through.
 */
async function isSavedBesides(document: vscode.TextDocument): Promise<boolean> {
  for (let waited = 0; document.isDirty && waited < 1000; waited += 50) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return !document.isDirty;
}

async function diskText({ step, after }: BufferEdit): Promise<SaveOutcome> {
  try {
    const { uri } = step.file;
    const content = await textContent(uri, await vscode.workspace.fs.readFile(uri));
    return { saved: true, text: content?.text ?? after };
  } catch {
    return { saved: false, text: after };
  }
}
