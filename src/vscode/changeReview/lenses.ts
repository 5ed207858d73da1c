/**
 * Keep and Undo in the editor: a toolbar with the old lines when the pointer is on a hunk, and code lenses above a
 * pending file. Both show the number of errors in the changed lines. A lens above each hunk would push the text down as
 * often.
 */
import * as vscode from 'vscode';
import type { ReviewHunk } from '../../core/changeReview/textReview.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { baseUri } from './baseDocuments.ts';
import { hasHunks, type PendingFile } from './pendingFile.ts';
import type { Reviews } from './reviews.ts';
import { hunkAtLine, type ShownHunks, shownHunks } from './shownHunks.ts';

/** Lines of a hunk in a hover; the peek and the diff show the rest. */
const HOVER_LINES = 40;

const SHOW_PROBLEMS = 'workbench.actions.view.problems';

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

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const shown = shownHunks(this.#reviews, document) ?? this.#deletedFileIn(document);
    return shown === undefined ? [] : fileLenses(shown, document.uri);
  }

  provideHover(document: vscode.TextDocument, { line }: vscode.Position): vscode.Hover | undefined {
    const shown = shownHunks(this.#reviews, document);
    const hunk = shown && hasHunks(shown.file) ? hunkAtLine(shown, line) : undefined;
    if (shown === undefined || hunk === undefined) return undefined;
    const { file } = shown;
    const { uri } = file;
    const { base, current } = file.text;
    const hover = new vscode.MarkdownString(undefined, true);
    const commands = ['keepHunk', 'undoHunk', 'peek', 'next'].map((name) => `tiller.review.${name}`);
    hover.isTrusted = { enabledCommands: [...commands, SHOW_PROBLEMS] };
    const link = (icon: string, title: string, command: string) => {
      const given = encodeURIComponent(JSON.stringify([uri.toString(), hunk.id]));
      return `[$(${icon}) ${title}](command:tiller.review.${command}?${given})`;
    };
    const toolbar = [
      link('check', vscode.l10n.t('Keep'), 'keepHunk'),
      link('discard', undoTitle(hunk), 'undoHunk'),
      link('diff', vscode.l10n.t('Show Old Lines'), 'peek'),
      link('arrow-down', vscode.l10n.t('Next Change'), 'next'),
      ...errorLink(
        errorsIn(
          document.uri,
          shown.hunks.filter(({ id }) => id === hunk.id),
        ),
      ),
      sizeOf(hunk),
    ];
    hover.appendMarkdown(`${toolbar.join('&nbsp;&nbsp;')}\n`);
    const old = base.slice(hunk.baseStart, hunk.baseEnd).map((text) => `- ${text}`);
    const now = current.slice(hunk.start, hunk.end).map((text) => `+ ${text}`);
    const lines = [...old, ...now];
    const listed = lines.length > HOVER_LINES ? [...lines.slice(0, HOVER_LINES), '…'] : lines;
    hover.appendCodeblock(listed.join('\n'), 'diff');
    return new vscode.Hover(hover);
  }

  dispose(): void {
    this.#registered?.dispose();
    this.#store.dispose();
  }

  /** The document shows the former text of the file. */
  #deletedFileIn({ uri }: vscode.TextDocument): ShownHunks | undefined {
    const address = uri.toString();
    const isShown = ({ story, uri }: PendingFile) => story.type === 'deleted' && baseUri(uri).toString() === address;
    const file = this.#reviews.pending.find(isShown);
    return file && { file, hunks: file.text.hunks, firstLine: 0 };
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

/** The number of errors in the lines of the hunks, as they are now. */
function errorsIn(uri: vscode.Uri, hunks: readonly ReviewHunk[]): number {
  return vscode.languages.getDiagnostics(uri).filter(({ severity, range: { start: at } }) => {
    const isInside = hunks.some(({ start, end }) => at.line >= start && at.line < end);
    return isInside && severity === vscode.DiagnosticSeverity.Error;
  }).length;
}

function errorWords(errors: number): string {
  return errors === 1 ? vscode.l10n.t('1 error') : vscode.l10n.t('{0} errors', errors);
}

function errorLink(errors: number): string[] {
  return errors === 0 ? [] : [`[$(error) ${errorWords(errors)}](command:${SHOW_PROBLEMS})`];
}

/** "+2 −1", without a zero part. */
function sizeOf({ start, end, baseStart, baseEnd }: ReviewHunk): string {
  const added = end - start;
  const removed = baseEnd - baseStart;
  return [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])].join(' ');
}

/** Warns when undoing the hunk would remove edits of the user, too. */
function undoTitle({ touched }: ReviewHunk): string {
  return touched ? vscode.l10n.t('Undo (with your edits)') : vscode.l10n.t('Undo');
}

/** Returns the lenses above the first line; in a notebook above the first cell with a change. `uri`: the document. */
function fileLenses({ file, hunks }: ShownHunks, uri: vscode.Uri): vscode.CodeLens[] {
  if (file.isCells && hunks[0]?.id !== file.text.hunks[0]?.id) return [];
  const sentence = sentenceFor(file);
  if (sentence === undefined) return [];
  const firstLine = new vscode.Range(0, 0, 0, 0);
  const given = [file.uri];
  const errors = hasHunks(file) ? errorsIn(uri, hunks) : 0;
  const lens = (title: string, command: string) => new vscode.CodeLens(firstLine, { title, command, arguments: given });
  return [
    lens(`$(sparkle) ${sentence}`, 'tiller.review.showDiff'),
    lens(`$(check-all) ${vscode.l10n.t('Keep File')}`, 'tiller.review.keepFile'),
    lens(`$(discard) ${vscode.l10n.t('Undo File')}`, 'tiller.review.undoFile'),
    ...(errors === 0 ? [] : [lens(`$(error) ${errorWords(errors)}`, SHOW_PROBLEMS)]),
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
      if (length === 0) return undefined;
      return length === 1 ? vscode.l10n.t('Tiller: 1 change') : vscode.l10n.t('Tiller: {0} changes', length);
    case 'deleted':
      return vscode.l10n.t('Tiller: deleted file');
  }
}
