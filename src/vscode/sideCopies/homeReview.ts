/** The content of a review of a side copy: the changes of the copy, against the current texts of the editors. */
import * as vscode from 'vscode';
import type { ProposedFile } from '../../core/ports.ts';
import { type FilePlan, planBringHome } from '../../core/sideCopies/planBringHome.ts';
import type { SideCopy, SideCopyStore } from '../../core/sideCopies/sideCopy.ts';
import { type HomeDeps, type HomeFile, homeFiles } from './homeFiles.ts';
import { tellRepositories, tellUnread } from './homeMessages.ts';

/** Files in one review; further ones are taken or left as a whole. */
const MAX_REVIEWED = 300;

export interface ReviewDeps extends HomeDeps {
  readonly store: HomeDeps['store'] & Pick<SideCopyStore, 'losses'>;
}

/** A review that waits for the user. */
export interface Review {
  readonly copy: SideCopy;
  readonly plans: readonly FilePlan[];
  readonly files: ReadonlyMap<string, HomeFile>;
}

/** Compares the copy with its base and with the editors. `undefined` when the user cancels. @throws the error of the disk */
export async function readReview(copy: SideCopy, deps: ReviewDeps): Promise<Review | undefined> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t('Comparing the side copy with the workspace'),
    cancellable: true,
  };
  return vscode.window.withProgress(options, async (_progress, token) => {
    const cancel = new AbortController();
    token.onCancellationRequested(() => cancel.abort());
    try {
      const { changes, isPartial, unread, repositories } = await deps.store.losses(copy.id, cancel.signal);
      if (isPartial) {
        const sentence = vscode.l10n.t('The side copy has more than 200,000 files: not all of them were compared.');
        void vscode.window.showWarningMessage(sentence);
      }
      tellUnread(unread);
      tellRepositories(repositories);
      const files = await homeFiles(copy, changes, deps, cancel.signal);
      const plans = planBringHome(files).map((plan, index) => (index < MAX_REVIEWED ? plan : asWhole(plan)));
      return { copy, plans, files: new Map(files.map((file) => [file.path, file])) };
    } catch (error) {
      if (cancel.signal.aborted) return undefined;
      throw error;
    }
  });
}

/** The files whose hunks the user can choose one by one. */
export function proposalsOf({ plans }: Review): readonly ProposedFile[] {
  return plans.flatMap((plan) => (plan.type === 'proposed' ? [plan.proposal] : []));
}

/** Returns false if there is nothing to decide about a file. */
export function isChoosable({ type }: FilePlan): boolean {
  return type === 'proposed' || type === 'whole' || type === 'mode';
}

function asWhole(plan: FilePlan): FilePlan {
  if (plan.type !== 'proposed') return plan;
  const { file, mode } = plan;
  const isUntouched =
    file.home.type === file.base.type &&
    (file.home.type !== 'file' || (file.base.type === 'file' && file.home.hash === file.base.hash));
  return { type: 'whole', file, isConflict: !isUntouched, ...(mode === undefined ? {} : { mode }) };
}
