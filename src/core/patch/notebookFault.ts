/** The reason why a patch may not be applied to a notebook, open or closed. */
import { messageOf } from '../util/fileErrors.ts';
import type { FileChange } from '../ports.ts';
import { NEW_CELL, parseNotebookText } from './notebookText.ts';
import type { FileSnapshot } from './workingTree.ts';

/** Instructions for the model about an open notebook. */
export const CELLS_NOTE = `This notebook is open in the editor: patch it as this text of its cells, without its outputs, not as JSON. A new cell begins with "${NEW_CELL}", without an id.`;

/** The hint for a patch that does not match: the model may have read the JSON of the file. */
export function notebookHint(path: string): string {
  return `${path} is open as a notebook in the editor, and is patched as the text of its cells, not as JSON. Read it with read_file; patch what that returns.`;
}

/** A message for the model; `undefined` when the changes leave every notebook valid. */
export function notebookFault(
  changes: readonly FileChange[],
  found: (path: string) => FileSnapshot,
): string | undefined {
  for (const change of changes) {
    const fault = isCells(found(change.path)) ? faultOfCells(change) : faultOfJson(change);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** True for a notebook that a patch sees as the text of its cells. */
export function isCells(snapshot: FileSnapshot): boolean {
  return snapshot.type === 'text' && snapshot.isCells === true;
}

function faultOfCells(change: FileChange): string | undefined {
  switch (change.kind) {
    case 'delete':
      return undefined;
    case 'add':
      return `Cannot write ${change.path} anew: ${notebookHint(change.path)}`;
    case 'update': {
      if (change.after === change.before) return undefined;
      if (change.movedTo !== null) {
        return `Cannot move and change ${change.path} at once: it is open as a notebook in the editor. Change it and move it in two patches.`;
      }
      const parsed = parseNotebookText(change.after);
      if (parsed.type === 'cells') return undefined;
      return `The patch does not leave cells in ${change.path}: ${parsed.message}. ${notebookHint(change.path)}`;
    }
  }
}

/** A notebook file that was no JSON before may be anything. */
function faultOfJson(change: FileChange): string | undefined {
  if (change.kind === 'delete') return undefined;
  const path = change.kind === 'update' ? (change.movedTo ?? change.path) : change.path;
  const text = change.kind === 'update' ? change.after : change.text;
  if (!path.toLowerCase().endsWith('.ipynb') || text.trim() === '' || text === change.before) return undefined;
  const fault = jsonFault(text);
  if (fault === undefined || (change.before !== null && jsonFault(change.before) !== undefined)) return undefined;
  return `The patch would leave invalid JSON in the notebook ${path}: ${fault}`;
}

function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
