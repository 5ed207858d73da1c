/** Goes from change to change through all pending files. */
import * as vscode from 'vscode';
import type { ReviewHunk } from '../../core/changeReview/textReview.ts';
import { baseUri } from './baseDocuments.ts';
import { hasHunks, type PendingFile } from './pendingFile.ts';
import type { Reviews } from './reviews.ts';

interface Stop {
  readonly file: PendingFile;
  readonly line: number;
}

export class Navigation {
  readonly #reviews: Reviews;

  constructor(reviews: Reviews) {
    this.#reviews = reviews;
  }

  /** `within`: only in the active file, after a decision about a change in it. */
  async go(way: 'next' | 'previous', within = false): Promise<void> {
    const stops = this.#reviews.pending.flatMap(stopsOf);
    if (stops.length === 0) {
      if (!within) void vscode.window.showInformationMessage(vscode.l10n.t('There are no changes to review.'));
      return;
    }
    const stop = stopFrom(stops, way);
    const isHere = stop?.file.uri.toString() === vscode.window.activeTextEditor?.document.uri.toString();
    if (stop === undefined || (within && !isHere)) return;
    await show(stop.file, stop.line);
    const place = vscode.l10n.t('Change {0} of {1}', stops.indexOf(stop) + 1, stops.length);
    vscode.window.setStatusBarMessage(place, 3000);
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
    await vscode.commands.executeCommand('vscode.diff', baseUri(file.uri), file.uri, title);
  }

  async showAll(): Promise<void> {
    const resources = this.#reviews.pending.map(({ uri, story }) => [
      uri,
      story.type === 'added' ? undefined : baseUri(uri),
      story.type === 'deleted' ? undefined : uri,
    ]);
    await vscode.commands.executeCommand('vscode.changes', vscode.l10n.t('Changes by Tiller'), resources);
  }
}

function stopsOf(file: PendingFile): readonly Stop[] {
  const lines = hasHunks(file) ? file.text.hunks.map(({ start }) => start) : [];
  return (lines.length === 0 ? [0] : lines).map((line) => ({ file, line }));
}

/** The change after the cursor; in a file without changes, the first of the next file. */
function stopFrom(stops: readonly Stop[], way: 'next' | 'previous'): Stop | undefined {
  const editor = vscode.window.activeTextEditor;
  const path = editor === undefined ? '' : editor.document.uri.path;
  const line = editor?.selection.active.line ?? 0;
  const lastLine = editor === undefined ? 0 : editor.document.lineCount - 1;
  const order = ({ file, line: at }: Stop) =>
    file.uri.path === path ? Math.min(at, lastLine) - line : file.uri.path < path ? -Infinity : Infinity;
  if (way === 'next') return stops.find((stop) => order(stop) > 0) ?? stops[0];
  return stops.findLast((stop) => order(stop) < 0) ?? stops.at(-1);
}

async function show(file: PendingFile, line: number): Promise<void> {
  const place = file.story.type === 'deleted' ? baseUri(file.uri) : file.uri;
  try {
    const document = await vscode.workspace.openTextDocument(place);
    const at = new vscode.Position(Math.min(line, document.lineCount - 1), 0);
    const range = new vscode.Range(at, at);
    const editor = await vscode.window.showTextDocument(document, { selection: range, preview: true });
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  } catch {
    // Not text: open it with its own editor.
    await vscode.commands.executeCommand('vscode.open', place);
  }
}
