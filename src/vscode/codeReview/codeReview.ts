/**
 * "Review Changes": asks for the target, gets its changes from git, and starts a review by an agent in the shown
 * thread.
 */
import * as vscode from 'vscode';
import type { MessageTarget } from '../../core/agent/shownThread.ts';
import type { ReadRefusals } from '../../core/tools/files/readGuard.ts';
import { assertNever } from '../../core/util/assertNever.ts';
import type { ReviewTarget } from '../../protocol/codeReview.ts';
import type { OpOf } from '../../protocol/op.ts';
import { firstLine, inOneLine } from '../../protocol/text/truncate.ts';
import { withoutIcons } from '../ui/escapeUiText.ts';
import { offerTrust } from '../ui/neededPlace.ts';
import {
  changesIn,
  changesSince,
  changeText,
  type GitCommit,
  mergeBaseOf,
  type Repository,
  repositories,
  repositoryOf,
} from '../workspace/gitChanges.ts';

export interface CodeReviewDeps {
  readonly refusals: ReadRefusals;
  /** The working directory of the shown thread. */
  readonly cwd: () => string;
  /** Returns true if the shown thread works in a side copy. */
  readonly isInSideCopy: () => boolean;
  readonly isRunning: () => boolean;
  /** Lets the user choose a model where there is none; false when none was chosen. */
  readonly hasModel: () => Promise<boolean>;
  readonly target: () => MessageTarget;
  readonly reveal: () => Promise<void>;
  /** False when the thread cannot be opened for writing. */
  readonly send: (op: OpOf<'review'>, target: MessageTarget) => Promise<boolean>;
  /** Repositories that git has opened; by default those of VS Code's extension. */
  readonly repositories?: () => readonly Repository[];
}

export type ReviewKind = ReviewTarget['type'];

/** The chosen target with its changes; empty changes let the reviewer find them itself. */
interface Chosen {
  readonly target: ReviewTarget;
  readonly changes: string;
}

/** Commits that can be chosen. */
const MAX_COMMITS = 100;

export class CodeReview {
  readonly #deps: CodeReviewDeps;

  constructor(deps: CodeReviewDeps) {
    this.#deps = deps;
  }

  /** `kind`: the target; the user selects it without one. Rejects when git or VS Code does. */
  async start(kind?: ReviewKind, instructions = ''): Promise<void> {
    const { target: targetNow, isRunning, hasModel, reveal, send } = this.#deps;
    if (!vscode.workspace.isTrusted) return offerTrust(vscode.l10n.t('Reviews are not available in Restricted Mode.'));
    if (isRunning()) return tell(vscode.l10n.t('A turn is running. Stop it, or wait for its end, to review changes.'));
    const thread = targetNow();
    const repository = this.#repository();
    if (repository === undefined) {
      return tell(vscode.l10n.t("VS Code's Git extension has opened no repository in this window."));
    }
    const wanted = kind ?? (await pickKind());
    const chosen = wanted && (await this.#chosen(wanted, repository));
    if (chosen === undefined || !(await hasModel())) return;
    await reveal();
    const wish = instructions.trim();
    const op: OpOf<'review'> = { type: 'review', ...chosen, ...(wish === '' ? {} : { instructions: wish }) };
    if (!(await send(op, thread))) {
      tell(vscode.l10n.t('Nothing was reviewed: the thread is deleted, or another window works in it.'));
    }
  }

  async #chosen(kind: ReviewKind, repository: Repository): Promise<Chosen | undefined> {
    // The Git extension has the workspace open and not the copy: the agent finds the changes itself.
    const isElsewhere = this.#deps.isInSideCopy();
    const { refusals } = this.#deps;
    switch (kind) {
      case 'uncommitted': {
        if (isElsewhere) return { target: { type: 'uncommitted' }, changes: '' };
        const changes = await changeText(refusals, this.#repositories());
        if (changes === undefined) return tell(vscode.l10n.t('There are no uncommitted changes.'));
        return { target: { type: 'uncommitted' }, changes };
      }
      case 'branch': {
        const branch = await pickBranch(repository);
        if (branch === undefined) return undefined;
        const base = await mergeBaseOf(repository, branch);
        if (base === undefined) {
          return tell(
            vscode.l10n.t(
              '{0} and the current branch have no commit in common. Review uncommitted changes or a commit instead.',
              branch,
            ),
          );
        }
        if (isElsewhere) return { target: { type: 'branch', branch }, changes: '' };
        const changes = await changesSince(repository, base, refusals);
        if (changes === '') return tell(vscode.l10n.t('There are no changes compared with {0}.', branch));
        return { target: { type: 'branch', branch }, changes };
      }
      case 'commit': {
        const commit = await pickCommit(repository);
        if (commit === undefined) return undefined;
        const title = firstLine(commit.message);
        const target = {
          type: 'commit' as const,
          commit: commit.hash.slice(0, 12),
          ...(title === '' ? {} : { title }),
        };
        return { target, changes: await changesIn(repository, commit, refusals) };
      }
      default:
        return assertNever(kind);
    }
  }

  #repositories(): readonly Repository[] {
    return (this.#deps.repositories ?? repositories)();
  }

  /** The innermost one that holds the working directory of the thread, else the first. */
  #repository(): Repository | undefined {
    const all = this.#repositories();
    return repositoryOf(vscode.Uri.file(this.#deps.cwd()), all) ?? all[0];
  }
}

function tell(message: string): undefined {
  void vscode.window.showInformationMessage(message);
  return undefined;
}

async function pickKind(): Promise<ReviewKind | undefined> {
  const items: readonly (vscode.QuickPickItem & { readonly what: ReviewKind })[] = [
    {
      what: 'uncommitted',
      label: vscode.l10n.t('Uncommitted Changes'),
      detail: vscode.l10n.t('Staged, not staged, and new files'),
    },
    {
      what: 'branch',
      label: vscode.l10n.t('Changes Against a Branch…'),
      detail: vscode.l10n.t('All changes since the two diverged, including uncommitted ones'),
    },
    { what: 'commit', label: vscode.l10n.t('A Commit…'), detail: vscode.l10n.t('The changes of one commit') },
  ];
  const placeHolder = vscode.l10n.t('What should be reviewed?');
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Review Changes'), placeHolder }))?.what;
}

async function pickBranch(repository: Repository): Promise<string | undefined> {
  const current = repository.state.HEAD?.name;
  const [local, remote] = await Promise.all([
    repository.getBranches({ remote: false, sort: 'committerdate' }),
    repository.getBranches({ remote: true, sort: 'committerdate' }),
  ]);
  const names = [...new Set([...local, ...remote].flatMap(({ name }) => name ?? []))].filter(
    (name) => name !== current,
  );
  if (names.length === 0) return tell(vscode.l10n.t('There is no other branch.'));
  const items = names.map((name) => ({ label: withoutIcons(name), name }));
  const options = { title: vscode.l10n.t('Review Changes Against a Branch') };
  return (await vscode.window.showQuickPick(items, options))?.name;
}

async function pickCommit(repository: Repository): Promise<GitCommit | undefined> {
  const commits = await repository.log({ maxEntries: MAX_COMMITS });
  const items = commits.map((commit) => ({
    label: withoutIcons(inOneLine(firstLine(commit.message))),
    description: commit.hash.slice(0, 12),
    commit,
  }));
  if (items.length === 0) return tell(vscode.l10n.t('There are no commits.'));
  const options = { title: vscode.l10n.t('Review a Commit'), matchOnDescription: true };
  return (await vscode.window.showQuickPick(items, options))?.commit;
}
