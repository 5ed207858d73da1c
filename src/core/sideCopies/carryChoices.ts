/** The choices with which a review of a side copy begins, and begins again after its files have changed. Pure. */
import type { FileReview, ProposalChoices } from '../../protocol/policy.ts';
import { carryReview, linesOfHunks } from '../patch/proposalChoices.ts';
import { type FilePlan, firstChoices } from './planBringHome.ts';

type ProposedPlan = Extract<FilePlan, { type: 'proposed' }>;

/** A review that was shown, with the choices that the user had made in it. */
export interface EarlierReview {
  readonly plans: readonly FilePlan[];
  readonly choices: ProposalChoices | undefined;
}

/**
 * Conflicts are left out, except those that the user restored in the earlier review and that still replace the same lines
 * by the same lines. Other choices are carried over; an edited text only where no new conflict is in the file, because
 * the user has not seen it.
 */
export function beginChoices(plans: readonly FilePlan[], before?: EarlierReview): ProposalChoices | undefined {
  if (before === undefined) return firstChoices(plans);
  const from = before.plans.filter(isProposed);
  const now = plans.filter(isProposed);
  const carried = carryReview(before.choices ?? [], proposalsOf(from), proposalsOf(now)) ?? [];
  const choices = now.flatMap((plan) => {
    const { name } = plan.file;
    const earlier = from.find(({ file }) => file.name === name);
    const choice = before.choices?.find(({ path }) => path === name);
    const part = carried.find(({ path }) => path === name);
    return choiceOn(plan, part, earlier && { plan: earlier, choice }) ?? [];
  });
  return choices.length === 0 ? undefined : choices;
}

interface Earlier {
  readonly plan: ProposedPlan;
  readonly choice: FileReview | undefined;
}

function choiceOn(
  plan: ProposedPlan,
  carried: FileReview | undefined,
  earlier: Earlier | undefined,
): FileReview | undefined {
  const { name: path } = plan.file;
  const explained = carried?.reasons === undefined ? {} : { reasons: carried.reasons };
  if (carried !== undefined && 'leftOut' in carried && carried.leftOut === 'file') return carried;
  if (plan.conflicts === 'file') {
    if (earlier !== undefined && isSameFile(plan, earlier.plan) && !isFileOut(earlier.choice)) return carried;
    return { path, leftOut: 'file', ...explained };
  }
  const hunks = contentsOf(plan);
  const known = earlier === undefined ? [] : contentsOf(earlier.plan);
  /** Returns true if this conflict, and each one with the same lines, was shown before and `as` holds for each. */
  const was = (index: number, as: (earlierIndex: number) => boolean) => {
    const same = indicesOf(known, hunks[index]);
    return (
      same.length === indicesOf(hunks, hunks[index]).length &&
      same.every((earlierIndex) => wasConflict(earlier, earlierIndex) && as(earlierIndex))
    );
  };
  if (carried !== undefined && 'text' in carried) {
    const isSeen = plan.conflicts.every((index) => was(index, () => true));
    return isSeen ? carried : { path, leftOut: [...plan.conflicts] };
  }
  const isRestored = (index: number) => was(index, (earlierIndex) => isHunkIn(earlier?.choice, earlierIndex));
  const out = new Set([...(carried?.leftOut ?? []), ...plan.conflicts.filter((index) => !isRestored(index))]);
  return out.size === 0 ? undefined : { path, leftOut: [...out].toSorted((one, other) => one - other), ...explained };
}

function isProposed(plan: FilePlan): plan is ProposedPlan {
  return plan.type === 'proposed';
}

function proposalsOf(plans: readonly ProposedPlan[]) {
  return plans.map(({ proposal }) => proposal);
}

/** The removed and inserted lines of each hunk. */
function contentsOf({ proposal }: ProposedPlan): readonly string[] {
  return linesOfHunks(proposal).map((lines) => JSON.stringify(lines));
}

function indicesOf(contents: readonly string[], content: string | undefined): readonly number[] {
  return contents.flatMap((candidate, index) => (candidate === content ? [index] : []));
}

function wasConflict(earlier: Earlier | undefined, index: number): boolean {
  return earlier !== undefined && earlier.plan.conflicts !== 'file' && earlier.plan.conflicts.includes(index);
}

/** False for an edited text, of which it is not known. */
function isHunkIn(choice: FileReview | undefined, index: number): boolean {
  if (choice === undefined) return true;
  return 'leftOut' in choice && choice.leftOut !== 'file' && !choice.leftOut.includes(index);
}

function isFileOut(choice: FileReview | undefined): boolean {
  return choice !== undefined && 'leftOut' in choice && choice.leftOut === 'file';
}

function isSameFile(plan: ProposedPlan, earlier: ProposedPlan): boolean {
  return (
    earlier.conflicts === 'file' && JSON.stringify(plan.proposal.change) === JSON.stringify(earlier.proposal.change)
  );
}
