/**
 * Keep and Undo in the editor: code lenses above each hunk, which say its errors, too, and above a pending file, and a
 * hover with the old lines.
 */
import * as vscode from 'vscode';
import { hunkAt, type ReviewHunk } from '../../core/changeReview/textReview.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { hasHunks, type PendingFile } from './pendingFile.ts';
import type { Reviews } from './reviews.ts';

/** Lines of a hunk in a hover; the peek and the diff show the rest. */
const HOVER_LINES = 40;

export class Lenses implements vscode.CodeLensProvider, vscode.HoverProvider, Disposable {
  readonly #store = new DisposableStore();
  readonly #reviews: Reviews;
  readonly #changed = this.#store.add(new vscode.EventEmitter<void>());
  readonly onDidChangeCodeLenses = this.#changed.event;
  /** Registered while something is pending. */
  #registered: vscode.Disposable | undefined;

  constructor(reviews: Reviews) {
    this.#reviews = reviews;
    this.#store.add(reviews.onDidChange(() => this.#refresh()));
    this.#store.add(
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        if (uris.some((uri) => reviews.at(uri) !== undefined)) this.#changed.fire();
      }),
    );
  }

  provideCodeLenses({ uri, lineCount }: vscode.TextDocument): vscode.CodeLens[] {
    const file = this.#reviews.at(uri);
    if (file === undefined || file.story.type === 'deleted') return [];
    const ofHunks = hasHunks(file) ? file.text.hunks.flatMap((hunk) => hunkLenses(file, hunk, lineCount)) : [];
    return [...fileLenses(file), ...ofHunks];
  }

  provideHover({ uri }: vscode.TextDocument, { line }: vscode.Position): vscode.Hover | undefined {
    const file = this.#reviews.at(uri);
    const hunk = file && hasHunks(file) ? hunkAt(file.text, line) : undefined;
    if (file === undefined || hunk === undefined) return undefined;
    const { base, current } = file.text;
    const hover = new vscode.MarkdownString(undefined, true);
    hover.isTrusted = { enabledCommands: ['tiller.review.keepHunk', 'tiller.review.undoHunk'] };
    const link = (icon: string, title: string, command: string) => {
      const given = encodeURIComponent(JSON.stringify([uri.toString(), hunk.id]));
      return `[$(${icon}) ${title}](command:${command}?${given})`;
    };
    const keep = link('check', vscode.l10n.t('Keep'), 'tiller.review.keepHunk');
    hover.appendMarkdown(`${keep}&nbsp;&nbsp;${link('discard', undoTitle(hunk), 'tiller.review.undoHunk')}\n`);
    const old = base.slice(hunk.baseStart, hunk.baseEnd).map((text) => `- ${text}`);
    const now = current.slice(hunk.start, hunk.end).map((text) => `+ ${text}`);
    const lines = [...old, ...now];
    const shown = lines.length > HOVER_LINES ? [...lines.slice(0, HOVER_LINES), '…'] : lines;
    hover.appendCodeblock(shown.join('\n'), 'diff');
    return new vscode.Hover(hover);
  }

  dispose(): void {
    this.#registered?.dispose();
    this.#store.dispose();
  }

  #refresh(): void {
    const isPending = this.#reviews.pending.length > 0;
    if (isPending && this.#registered === undefined) {
      this.#registered = vscode.Disposable.from(
        vscode.languages.registerCodeLensProvider('*', this),
        vscode.languages.registerHoverProvider('*', this),
      );
    } else if (!isPending) {
      this.#registered?.dispose();
      this.#registered = undefined;
    }
    this.#changed.fire();
  }
}

function hunkLenses({ uri }: PendingFile, hunk: ReviewHunk, lineCount: number): vscode.CodeLens[] {
  const line = Math.min(hunk.start, lineCount - 1);
  const place = new vscode.Range(line, 0, line, 0);
  const given = [uri.toString(), hunk.id];
  const size = `−${hunk.baseEnd - hunk.baseStart} +${hunk.end - hunk.start}`;
  return [
    new vscode.CodeLens(place, {
      title: `$(check) ${vscode.l10n.t('Keep')}`,
      command: 'tiller.review.keepHunk',
      arguments: given,
    }),
    new vscode.CodeLens(place, {
      title: `$(discard) ${undoTitle(hunk)}`,
      command: 'tiller.review.undoHunk',
      arguments: given,
    }),
    new vscode.CodeLens(place, {
      title: size,
      tooltip: vscode.l10n.t('Show the old lines'),
      command: 'tiller.review.peek',
      arguments: given,
    }),
    ...problemLens(errorsIn(uri, hunk), place),
  ];
}

/** The number of errors in the lines of the hunk, as they are now. */
function errorsIn(uri: vscode.Uri, { start, end }: ReviewHunk): number {
  return vscode.languages.getDiagnostics(uri).filter(({ severity, range: { start: at } }) => {
    return severity === vscode.DiagnosticSeverity.Error && at.line >= start && at.line < end;
  }).length;
}

function problemLens(errors: number, place: vscode.Range): vscode.CodeLens[] {
  if (errors === 0) return [];
  const words = errors === 1 ? vscode.l10n.t('1 error') : vscode.l10n.t('{0} errors', errors);
  const command = 'workbench.actions.view.problems';
  return [new vscode.CodeLens(place, { title: `$(error) ${words}`, tooltip: vscode.l10n.t('Show Problems'), command })];
}

/** Warns when undoing the hunk would remove edits of the user, too. */
function undoTitle({ touched }: ReviewHunk): string {
  return touched ? vscode.l10n.t('Undo (with your edits)') : vscode.l10n.t('Undo');
}

/** Above the first line, unless the file has one hunk, which has a lens of its own. */
function fileLenses(file: PendingFile): vscode.CodeLens[] {
  const sentence = sentenceFor(file);
  if (sentence === undefined) return [];
  const place = new vscode.Range(0, 0, 0, 0);
  const given = [file.uri];
  const lens = (title: string, command: string) => new vscode.CodeLens(place, { title, command, arguments: given });
  return [
    lens(`$(sparkle) ${sentence}`, 'tiller.review.showDiff'),
    lens(`$(check-all) ${vscode.l10n.t('Keep file')}`, 'tiller.review.keepFile'),
    lens(`$(discard) ${vscode.l10n.t('Undo file')}`, 'tiller.review.undoFile'),
  ];
}

function sentenceFor({ story, text }: PendingFile): string | undefined {
  const { length } = text.hunks;
  switch (story.type) {
    case 'added':
      return vscode.l10n.t('Tiller: new file');
    case 'moved':
      return vscode.l10n.t('Tiller: moved from {0}', vscode.workspace.asRelativePath(story.from));
    case 'edited':
      return length > 1 ? vscode.l10n.t('Tiller: {0} changes', length) : undefined;
    case 'deleted':
      return undefined;
  }
}
