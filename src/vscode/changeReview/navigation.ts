/** Goes from change to change through all pending files. */
import * as vscode from 'vscode';
import type { ReviewHunk } from '../../core/changeReview/textReview.ts';
import { baseUri, cellsUri } from './baseDocuments.ts';
import { hasHunks, type PendingFile } from './pendingFile.ts';
import type { Reviews } from './reviews.ts';
import { cellAtLine, shownHunks } from './shownHunks.ts';

interface Stop {
  readonly file: PendingFile;
  readonly line: number;
}

export class Navigation {
  readonly #reviews: Reviews;

  constructor(reviews: Reviews) {
    this.#reviews = reviews;
  }

  /** `active_file`: without leaving it, after a decision about a change in it. */
  async go(way: 'next' | 'previous', scope: 'all_files' | 'active_file' = 'all_files'): Promise<void> {
    const stops = this.#reviews.pending.flatMap(stopsOf);
    if (stops.length === 0) {
      if (scope === 'all_files')
        void vscode.window.showInformationMessage(vscode.l10n.t('There are no changes to review.'));
      return;
    }
    const stop = stopFrom(stops, way, this.#lineOfCursor());
    const isHere = stop?.file.uri.path === vscode.window.activeTextEditor?.document.uri.path;
    if (stop === undefined || (scope === 'active_file' && !isHere)) return;
    await show(stop.file, stop.line);
    const message = vscode.l10n.t('Change {0} of {1}', stops.indexOf(stop) + 1, stops.length);
    vscode.window.setStatusBarMessage(message, 3000);
  }

  #lineOfCursor(): Cursor {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return { path: '', line: 0 };
    const { firstLine = 0 } = shownHunks(this.#reviews, editor.document) ?? {};
    return { path: editor.document.uri.path, line: editor.selection.active.line + firstLine };
  }

  /** Shows the old lines inline, in VS Code's own peek, which opens on the change after the cursor. */
  async peek(file: PendingFile, hunk: ReviewHunk): Promise<void> {
    await show(file, Math.max(0, hunk.start - (hunk.start === hunk.end ? 2 : 1)));
    await vscode.commands.executeCommand('editor.action.dirtydiff.next');
  }

  /** Opens a diff against the text without the changes. */
  async showDiff(file: PendingFile): Promise<void> {
    const name = file.uri.path.split('/').at(-1) ?? '';
    if (file.story.type === 'deleted') return show(file, 0);
    const title = vscode.l10n.t('{0} (changes by Tiller)', name);
    const [before, now] = sidesOf(file);
    await vscode.commands.executeCommand('vscode.diff', before, now, title);
  }

  async showAll(): Promise<void> {
    const resources = this.#reviews.pending.map((file) => {
      const { uri, story } = file;
      const [before, now] = sidesOf(file);
      return [uri, story.type === 'added' ? undefined : before, story.type === 'deleted' ? undefined : now];
    });
    await vscode.commands.executeCommand('vscode.changes', vscode.l10n.t('Tiller: Changes to Review'), resources);
  }
}

/** Both sides of a diff. A notebook is shown as the text of its cells. */
function sidesOf({ uri, isCells }: PendingFile): readonly [before: vscode.Uri, now: vscode.Uri] {
  return isCells ? [cellsUri(uri, 'base'), cellsUri(uri, 'now')] : [baseUri(uri), uri];
}

function stopsOf(file: PendingFile): readonly Stop[] {
  const lines = hasHunks(file) ? file.text.hunks.map(({ start }) => start) : [];
  return (lines.length === 0 ? [0] : lines).map((line) => ({ file, line }));
}

/** The place of the cursor, in lines of the file's text. */
interface Cursor {
  readonly path: string;
  readonly line: number;
}

/** The line that shows a deletion at the end. */
function lastLineOf({ text, isCells }: PendingFile): number {
  // The text of cells ends with a line that no cell has.
  return text.current.length - (isCells ? 2 : 1);
}

/** The change after the cursor; in a file without changes, the first of the next file. */
function stopFrom(stops: readonly Stop[], way: 'next' | 'previous', { path, line }: Cursor): Stop | undefined {
  const order = ({ file, line: at }: Stop) => {
    if (file.uri.path !== path) return file.uri.path < path ? -Infinity : Infinity;
    return Math.min(at, lastLineOf(file)) - line;
  };
  if (way === 'next') return stops.find((stop) => order(stop) > 0) ?? stops[0];
  return stops.findLast((stop) => order(stop) < 0) ?? stops.at(-1);
}

/** The cursor at the line, in its cell. */
async function showCell({ uri }: PendingFile, line: number): Promise<void> {
  const notebook = await vscode.workspace.openNotebookDocument(uri);
  const at = cellAtLine(notebook, line);
  const selection = at && new vscode.Range(at.line, 0, at.line, 0);
  await vscode.commands.executeCommand('vscode.open', at?.cell.document.uri ?? uri, { selection, preview: true });
}

async function show(file: PendingFile, line: number): Promise<void> {
  if (file.isCells && file.story.type !== 'deleted') return showCell(file, line);
  const uri = file.story.type === 'deleted' ? baseUri(file.uri) : file.uri;
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    const at = new vscode.Position(Math.min(line, document.lineCount - 1), 0);
    const range = new vscode.Range(at, at);
    const editor = await vscode.window.showTextDocument(document, { selection: range, preview: true });
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  } catch {
    // Not text: open it with its own editor.
    await vscode.commands.executeCommand('vscode.open', uri);
  }
}
