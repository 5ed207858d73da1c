/** Marks pending hunks in every editor that shows them. */
import * as vscode from 'vscode';
import type { ReviewHunk } from '../../core/changeReview/textReview.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { type PendingFile } from './pendingFile.ts';
import type { Reviews } from './reviews.ts';
import { shownHunks } from './shownHunks.ts';

/** VS Code moves decorations along with typed text; after this debounce they are computed again. */
const REFRESH_MS = 20;

interface MarkTypes extends Disposable {
  readonly lines: vscode.TextEditorDecorationType;
  readonly deletion: vscode.TextEditorDecorationType;
  readonly deletionAtEnd: vscode.TextEditorDecorationType;
}

export class Marks implements Disposable {
  readonly #store = new DisposableStore();
  readonly #reviews: Reviews;
  readonly #extensionUri: vscode.Uri;
  /** Created with the first mark. */
  #types: MarkTypes | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Editors that have marks, with the file state that these show. */
  #marked = new WeakMap<vscode.TextEditor, PendingFile>();

  constructor(reviews: Reviews, extensionUri: vscode.Uri) {
    this.#reviews = reviews;
    this.#extensionUri = extensionUri;
    this.#store.add(reviews.onDidChange(() => this.#refreshSoon()));
    this.#store.add(vscode.window.onDidChangeVisibleTextEditors(() => this.#refresh()));
    this.#store.add(vscode.window.tabGroups.onDidChangeTabs(() => this.#refresh()));
    this.#store.add(
      vscode.window.onDidChangeActiveColorTheme(() => {
        this.#forgetTypes();
        this.#refresh();
      }),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#store.dispose();
    this.#forgetTypes();
  }

  #refreshSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#refresh();
    }, REFRESH_MS);
  }

  #refresh(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      // The diff editor has marks of its own.
      const shown = isInDiff(editor) ? undefined : shownHunks(this.#reviews, editor.document);
      const file = shown?.file;
      if (file === this.#marked.get(editor)) continue;
      if (file === undefined) this.#marked.delete(editor);
      else this.#marked.set(editor, file);
      this.#mark(editor, shown === undefined || shown.file.story.type === 'deleted' ? [] : shown.hunks);
    }
  }

  #mark(editor: vscode.TextEditor, hunks: readonly ReviewHunk[]): void {
    if (this.#types === undefined && hunks.length === 0) return;
    this.#types ??= createTypes(this.#extensionUri);
    const { lineCount } = editor.document;
    const deletions = hunks.filter(({ start, end }) => start === end);
    editor.setDecorations(
      this.#types.lines,
      hunks.flatMap(({ start, end }) => (start === end ? [] : [new vscode.Range(start, 0, end - 1, 0)])),
    );
    editor.setDecorations(this.#types.deletion, deletions.filter(({ start }) => start < lineCount).map(deletionMark));
    editor.setDecorations(
      this.#types.deletionAtEnd,
      deletions
        .filter(({ start }) => start >= lineCount)
        .map((hunk) => deletionMark({ ...hunk, start: lineCount - 1 })),
    );
  }

  #forgetTypes(): void {
    this.#types?.dispose();
    this.#types = undefined;
    this.#marked = new WeakMap();
  }
}

/**
 * Returns true if the editor is a side of a diff, of one file or of several: a tab of several has no input that is
 * known.
 */
function isInDiff({ viewColumn, document }: vscode.TextEditor): boolean {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  const { activeTab } = all.find((group) => group.viewColumn === viewColumn) ?? activeTabGroup;
  if (activeTab === undefined) return false;
  const { input } = activeTab;
  if (input instanceof vscode.TabInputNotebook) return input.uri.path !== document.uri.path;
  return !(input instanceof vscode.TabInputText && input.uri.toString() === document.uri.toString());
}

function deletionMark({ start, baseStart, baseEnd }: ReviewHunk): vscode.DecorationOptions {
  const count = baseEnd - baseStart;
  const contentText = count === 1 ? vscode.l10n.t('1 line removed') : vscode.l10n.t('{0} lines removed', count);
  return { range: new vscode.Range(start, 0, start, 0), renderOptions: { after: { contentText } } };
}

function createTypes(extensionUri: vscode.Uri): MarkTypes {
  const { kind } = vscode.window.activeColorTheme;
  const isHighContrast =
    kind === vscode.ColorThemeKind.HighContrast || kind === vscode.ColorThemeKind.HighContrastLight;
  const icon = (name: string) => vscode.Uri.joinPath(extensionUri, 'media', name);
  const colour = (id: string) => new vscode.ThemeColor(id);
  const common: vscode.DecorationRenderOptions = {
    isWholeLine: true,
    gutterIconSize: 'contain',
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  };
  const gone: vscode.DecorationRenderOptions = {
    ...common,
    gutterIconPath: icon('hunkDeleted.svg'),
    overviewRulerColor: colour('editorOverviewRuler.deletedForeground'),
    borderStyle: 'solid',
    borderColor: colour(isHighContrast ? 'contrastBorder' : 'editorGutter.deletedBackground'),
    after: { color: colour('editorCodeLens.foreground'), margin: '0 0 0 3em', fontStyle: 'italic' },
  };
  // High contrast themes have no meaningful background colours.
  const outline = { borderStyle: 'dashed', borderWidth: '1px', borderColor: colour('contrastActiveBorder') };
  const lines = vscode.window.createTextEditorDecorationType({
    ...common,
    ...(isHighContrast ? outline : { backgroundColor: colour('diffEditor.insertedLineBackground') }),
    gutterIconPath: icon('hunk.svg'),
    overviewRulerColor: colour('editorOverviewRuler.addedForeground'),
  });
  const deletion = vscode.window.createTextEditorDecorationType({ ...gone, borderWidth: '2px 0 0 0' });
  const deletionAtEnd = vscode.window.createTextEditorDecorationType({ ...gone, borderWidth: '0 0 2px 0' });
  return {
    lines,
    deletion,
    deletionAtEnd,
    dispose: () => [lines, deletion, deletionAtEnd].map((type) => type.dispose()),
  };
}
