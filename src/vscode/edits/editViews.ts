/** Edits at the cursor in the editor: a line of code lenses above each, and a mark on its lines while it runs. */
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { assertNever } from '../../core/util/assertNever.ts';
import type { ReviewHunk } from '../../core/changeReview/textReview.ts';
import { withoutIcons } from '../ui/escapeUiText.ts';
import { approvalOf, type Edit, isRunning, sentenceOf } from './edit.ts';

export interface EditViewsDeps {
  readonly edits: () => readonly Edit[];
  /** `ChangeReview.hunksIn`. */
  readonly hunksIn: (uri: vscode.Uri) => readonly Pick<ReviewHunk, 'id' | 'start'>[];
}

interface Shown extends Disposable {
  readonly mark: vscode.TextEditorDecorationType;
}

/** Joins the changes while a patch streams. */
const REFRESH_MS = 50;

export class EditViews implements vscode.CodeLensProvider, Disposable {
  readonly #deps: EditViewsDeps;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new vscode.EventEmitter<void>());
  readonly onDidChangeCodeLenses = this.#changed.event;
  /** From the first edit on: VS Code keeps lenses of a provider that goes while it asks for them. */
  #shown: Shown | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: EditViewsDeps) {
    this.#deps = deps;
    this.#store.add(vscode.window.onDidChangeVisibleTextEditors(() => this.#mark()));
  }

  /** Call when an edit has changed. */
  refresh(): void {
    if (this.#deps.edits().length > 0) this.#shown ??= this.#show();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#mark();
      this.#changed.fire();
    }, REFRESH_MS);
  }

  provideCodeLenses({ uri, lineCount }: vscode.TextDocument): vscode.CodeLens[] {
    const here = this.#deps.edits().filter((edit) => edit.uri.toString() === uri.toString());
    return here.flatMap((edit) => {
      const line = Math.min(this.#lineOf(edit), lineCount - 1);
      const range = new vscode.Range(line, 0, line, 0);
      return commandsOf(edit).map((command) => new vscode.CodeLens(range, command));
    });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#shown?.dispose();
    this.#store.dispose();
  }

  /** Returns the line, from 0, of the first change that is under review, else the first line of the place. */
  #lineOf({ uri, lines, hunks }: Edit): number {
    const [own] = this.#deps.hunksIn(uri).filter(({ id }) => hunks.includes(id));
    return own?.start ?? lines.first - 1;
  }

  #show(): Shown {
    const mark = createMark();
    const lenses = vscode.languages.registerCodeLensProvider('*', this);
    return { mark, dispose: () => [mark, lenses].forEach((view) => view.dispose()) };
  }

  #mark(): void {
    const mark = this.#shown?.mark;
    if (mark === undefined) return;
    for (const editor of vscode.window.visibleTextEditors) {
      const address = editor.document.uri.toString();
      const running = this.#deps.edits().filter((edit) => isRunning(edit) && edit.uri.toString() === address);
      const open = running.filter(({ hunks }) => hunks.length === 0);
      editor.setDecorations(
        mark,
        open.map(({ lines }) => new vscode.Range(lines.first - 1, 0, lines.last - 1, 0)),
      );
    }
  }
}

function createMark(): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    borderColor: new vscode.ThemeColor('editor.rangeHighlightBorder'),
    borderStyle: 'solid',
    overviewRulerColor: new vscode.ThemeColor('progressBar.background'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
}

function commandsOf(edit: Edit): vscode.Command[] {
  const { id, threadId, state } = edit;
  const command = (icon: string, title: string, name: string, ...given: unknown[]) => ({
    title: `$(${icon}) ${title}`,
    command: `tiller.${name}`,
    arguments: [id, ...given],
  });
  // Without a command it is a text.
  const says = (icon: string) => ({ title: `$(${icon}) ${withoutIcons(sentenceOf(edit))}`, command: '' });
  const stop = command('debug-stop', vscode.l10n.t('Stop'), 'stopEdit');
  const asThread = threadId === undefined ? [] : [command('comment', vscode.l10n.t('Open as Thread'), 'openEdit')];
  const again = command('edit', vscode.l10n.t('Try Again…'), 'retryEdit');
  const dismiss = command('close', vscode.l10n.t('Dismiss'), 'stopEdit');
  const decisions = [
    command('check', vscode.l10n.t('Keep'), 'decideEdit', 'keep'),
    command('discard', vscode.l10n.t('Undo'), 'decideEdit', 'undo'),
  ];
  switch (state.type) {
    case 'running':
      if (state.progress.type === 'waiting') return [says('question'), ...asThread, stop];
      if (state.progress.type === 'applied') return [says('loading~spin'), ...decisions, stop, ...asThread];
      if (approvalOf(edit) === undefined) return [says('loading~spin'), stop, ...asThread];
      return [
        says('question'),
        command('check', vscode.l10n.t('Approve'), 'answerEdit', 'approved'),
        command('close', vscode.l10n.t('Deny'), 'answerEdit', 'denied'),
        command('diff', vscode.l10n.t('Show Change'), 'answerEdit', 'show'),
        ...asThread,
      ];
    case 'changed':
      return [says('sparkle'), ...decisions, ...asThread];
    case 'answered':
      return [says('info'), again, ...asThread, dismiss];
    case 'changed_elsewhere':
      return [says('info'), ...asThread, dismiss];
    case 'failed':
      return [says('error'), ...(edit.hunks.length > 0 ? decisions : []), again, ...asThread, dismiss];
    default:
      return assertNever(state);
  }
}
