/** VS Code's field for a comment on lines: the places of its +, and the command that opens it. */
import * as vscode from 'vscode';
import * as z from 'zod';
import type { Disposable } from '../../core/util/disposable.ts';
import { withinSeconds } from '../workspace/withinSeconds.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

export interface CommentFieldDeps {
  /** Returns true if a document is a side of a proposal, or a plan. */
  readonly isForReading: (uri: vscode.Uri) => boolean;
  readonly hasPending: () => boolean;
}

/** The name of the controller in `when` clauses. */
const CONTROLLER = 'tiller.comments';
/** VS Code asks for ranges 200 ms after they may have changed, and not at all for a document that is not visible. */
const OFFER_WITHIN_S = 2;

export class CommentField implements Disposable {
  readonly #deps: CommentFieldDeps;
  readonly #controller: vscode.CommentController;
  #isEverywhere = false;
  /** Lines for which the user wants the field, in a document that offers none. */
  #asked: { readonly uri: vscode.Uri; readonly range: vscode.Range; readonly isOffered: () => void } | undefined;

  constructor(deps: CommentFieldDeps) {
    this.#deps = deps;
    this.#controller = vscode.comments.createCommentController(CONTROLLER, vscode.l10n.t('Comments for Tiller'));
    this.#controller.options = {
      prompt: vscode.l10n.t('Comment for Tiller'),
      placeHolder: vscode.l10n.t('What should be different here?'),
    };
    this.#offerRanges();
  }

  /** True: the + is beside every line of the workspace. False: only in proposals and plans. */
  set isEverywhere(isEverywhere: boolean) {
    if (isEverywhere === this.#isEverywhere) return;
    this.#isEverywhere = isEverywhere;
    this.#offerRanges();
  }

  /** Creates a thread of VS Code, folded, or with the comments and the state of `like`. */
  createThread(uri: vscode.Uri, range: vscode.Range, like?: vscode.CommentThread): vscode.CommentThread {
    const thread = this.#controller.createCommentThread(uri, range, like?.comments ?? []);
    thread.collapsibleState = like?.collapsibleState ?? vscode.CommentThreadCollapsibleState.Collapsed;
    return thread;
  }

  /** Opens the field for the selected lines, or for those of a line number. */
  async begin(given: unknown): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const asked = placeSchema.safeParse(given);
    const uri = asked.success ? asked.data.uri : editor?.document.uri;
    if (uri === undefined || !this.#isCommentable(uri)) {
      return void vscode.window.showInformationMessage(
        vscode.l10n.t('Only lines of files of the workspace, of proposed patches and of plans can be commented on.'),
      );
    }
    const range = asked.success ? lineAt(asked.data.lineNumber) : linesIn(editor?.selection);
    if (!this.#isOffered(uri)) await this.#offer(uri, range);
    const { start, end } = range;
    const place = { startLineNumber: start.line + 1, startColumn: 1, endLineNumber: end.line + 1, endColumn: 1 };
    await vscode.commands.executeCommand('workbench.action.addComment', { range: place, fileComment: false });
  }

  /** Call when the comment for which `begin` has opened the field is made. */
  endOffer(): void {
    if (this.#asked === undefined) return;
    this.#asked = undefined;
    this.#offerRanges();
  }

  dispose(): void {
    this.#controller.dispose();
  }

  /** VS Code asks for the ranges of all visible documents then. */
  #offerRanges(): void {
    this.#controller.commentingRangeProvider = {
      provideCommentingRanges: ({ uri, lineCount }) => {
        if (this.#isOffered(uri)) return [new vscode.Range(0, 0, lineCount - 1, 0)];
        const asked = this.#asked;
        if (asked?.uri.toString() !== uri.toString()) return [];
        asked.isOffered();
        return [asked.range];
      },
    };
  }

  /** Lets VS Code open its field for these lines: it does so only where it knows that they can be commented on. */
  async #offer(uri: vscode.Uri, range: vscode.Range): Promise<void> {
    const offered = new Promise<void>((isOffered) => {
      this.#asked = { uri, range, isOffered };
    });
    this.#offerRanges();
    await withinSeconds(OFFER_WITHIN_S, offered);
    // VS Code answers requests in order: after this answer it has the ranges.
    await vscode.commands.executeCommand('setContext', 'tiller.hasPendingComments', this.#deps.hasPending());
  }

  #isOffered(uri: vscode.Uri): boolean {
    return this.#isEverywhere ? this.#isCommentable(uri) : this.#deps.isForReading(uri);
  }

  #isCommentable(uri: vscode.Uri): boolean {
    return vscode.workspace.getWorkspaceFolder(uri) !== undefined || this.#deps.isForReading(uri);
  }
}

/** The argument that VS Code passes from the menu of a line number. */
const placeSchema = lazyObject(() => ({
  uri: z.custom<vscode.Uri>((value) => value instanceof vscode.Uri),
  lineNumber: z.int().positive(),
}));

function lineAt(line: number): vscode.Range {
  return new vscode.Range(line - 1, 0, line - 1, 0);
}

/** A selection that ends at the start of a line does not have that line. */
function linesIn(selection: vscode.Selection | undefined): vscode.Range {
  if (selection === undefined) return lineAt(1);
  const { start, end } = selection;
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return new vscode.Range(start.line, 0, last, 0);
}
