/** The commit message in the Source Control view, written by the model from the changes to commit. */
import * as vscode from 'vscode';
import { COMMIT_INSTRUCTIONS, commitMessageIn, commitRequest } from '../../core/prompt/commitMessage.ts';
import type { Question } from '../../core/agent/askModel.ts';
import type { ReadRefusals } from '../../core/tools/files/readGuard.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import { truncateMiddle } from '../../core/util/tokens.ts';
import { firstLine } from '../../protocol/text/truncate.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';
import { offerTrust } from '../ui/neededPlace.ts';
import { changesToCommit, type Repository, repositories } from '../workspace/gitChanges.ts';

export interface CommitMessageDeps {
  readonly refusals: ReadRefusals;
  /** False when the user has selected no model, also when asked. */
  readonly hasModel: () => Promise<boolean>;
  /** Asks the selected model. Rejects with a sentence, or with the signal's reason. */
  readonly ask: (question: Question, signal: AbortSignal) => Promise<string>;
  /** Adds a text with the changes of the repositories to the message that is being written. */
  readonly askInPanel: (text: string) => Promise<void>;
  readonly report: (error: unknown) => void;
  /** By default those of VS Code's git extension. */
  readonly repositories?: () => readonly Repository[];
}

/** Tokens of the changes, by estimate: the middle of longer ones is left out. */
const CHANGES_TOKENS = 12_000;
const RECENT_COMMITS = 10;

export class CommitMessage {
  readonly #deps: CommitMessageDeps;
  /** Running requests, by the folder of the repository. */
  readonly #running = new Map<string, AbortController>();

  constructor(deps: CommitMessageDeps) {
    this.#deps = deps;
  }

  /** `given`: the source control whose title has the button. While one runs for the repository, it is stopped. */
  async write(given: unknown): Promise<void> {
    if (!vscode.workspace.isTrusted)
      return offerTrust(vscode.l10n.t('Commit messages are not available in Restricted Mode.'));
    const repository = await this.#repository(given);
    if (repository === undefined) return;
    const place = repository.rootUri.toString();
    const running = this.#running.get(place);
    if (running !== undefined) return running.abort(new vscode.CancellationError());
    const abort = new AbortController();
    this.#running.set(place, abort);
    const begun = repository.inputBox.value;
    try {
      const message = await this.#write(repository, begun, abort);
      // Nothing runs while its notifications are open: the next click writes another one.
      if (message !== undefined) put(message, repository.inputBox, begun).catch(this.#deps.report);
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#deps.report(error);
      void vscode.window.showErrorMessage(
        withoutLinks(vscode.l10n.t('The commit message was not written: {0}', messageOf(error))),
      );
    } finally {
      this.#running.delete(place);
    }
  }

  /** Puts the request into the message of the panel instead, for changes of it. */
  async writeInPanel(): Promise<void> {
    await this.#deps.askInPanel(vscode.l10n.t('Write a commit message for these changes.'));
  }

  /** Returns undefined without changes, or without a model; the user is informed. */
  async #write(repository: Repository, begun: string, abort: AbortController): Promise<string | undefined> {
    const changes = await changesToCommit(repository, this.#deps.refusals);
    if (changes === '') {
      tell(vscode.l10n.t('There are no changes to commit.'));
      return undefined;
    }
    if (!(await this.#deps.hasModel())) return undefined;
    // A repository without a commit has no log.
    const recent = await repository.log({ maxEntries: RECENT_COMMITS }).catch(() => []);
    const text = commitRequest({
      changes: truncateMiddle(changes, CHANGES_TOKENS),
      recent: recent.map(({ message }) => firstLine(message)),
      begun,
    });
    const options = {
      location: vscode.ProgressLocation.Notification,
      cancellable: true,
      title: vscode.l10n.t('Writing a commit message…'),
    };
    const answer = await vscode.window.withProgress(options, (_progress, token) => {
      token.onCancellationRequested(() => abort.abort(new vscode.CancellationError()));
      return this.#deps.ask({ instructions: COMMIT_INSTRUCTIONS, text }, abort.signal);
    });
    abort.signal.throwIfAborted();
    const message = commitMessageIn(answer);
    if (message === '') throw new Error(vscode.l10n.t('the model returned no text'));
    return message;
  }

  async #repository(given: unknown): Promise<Repository | undefined> {
    const all = (this.#deps.repositories ?? repositories)();
    const root = (given as { readonly rootUri?: unknown } | undefined)?.rootUri;
    const named =
      root instanceof vscode.Uri ? all.find(({ rootUri }) => rootUri.toString() === root.toString()) : undefined;
    if (named !== undefined || all.length < 2) {
      const found = named ?? all[0];
      if (found === undefined) tell(vscode.l10n.t("VS Code's Git extension has opened no repository in this window."));
      return found;
    }
    const items = all.map((repository) => ({ label: vscode.workspace.asRelativePath(repository.rootUri), repository }));
    const title = vscode.l10n.t('Write Commit Message');
    return (await vscode.window.showQuickPick(items, { title }))?.repository;
  }
}

/**
 * Writes the message into the input box. A text of the user is replaced only with a way back, and after a question when
 * it has changed since `begun`.
 */
async function put(message: string, box: Repository['inputBox'], begun: string): Promise<void> {
  const before = box.value;
  if (before !== begun) {
    const replace = vscode.l10n.t('Replace');
    const sentence = vscode.l10n.t('You have changed the commit message since. Replace it? “{0}”', firstLine(message));
    if ((await vscode.window.showInformationMessage(withoutLinks(sentence), replace)) !== replace) return;
  }
  const replaced = box.value;
  box.value = message;
  if (replaced.trim() === '' || replaced === message) return;
  const restore = vscode.l10n.t('Restore Mine');
  const sentence = vscode.l10n.t('Your commit message was replaced.');
  if ((await vscode.window.showInformationMessage(sentence, restore)) !== restore) return;
  // Text typed since then stays below it.
  box.value = box.value === message ? replaced : `${replaced}\n\n${box.value}`;
}

function tell(message: string): void {
  void vscode.window.showInformationMessage(message);
}
