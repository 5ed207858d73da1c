/**
 * Applies an approved patch: plans it again when its files change meanwhile, and never applies anything else than was
 * approved.
 */
import { resolve } from 'node:path';
import type { FileChangeSummary, TurnItemOf } from '../../../protocol/item.ts';
import { type FileReview, type ProposalChoices, reviewIn } from '../../../protocol/policy.ts';
import { decidedChanges, leadThere } from '../../patch/placedChange.ts';
import { reviewedChanges } from '../../patch/proposalChoices.ts';
import { patchBinding } from '../../policy/approvalKeys.ts';
import type { ApplyOrigin, DecidedChange, FileChange, AppliedFile } from '../../ports.ts';
import type { Attempt, ToolContext, ToolOptions, ToolResult } from '../handler.ts';
import { refusalsOf } from '../files/readGuard.ts';
import { checkedApply } from '../problems/checkedApply.ts';
import { type DecidedPlan, type PlanFailure, rebaseIn } from '../planPatchIn.ts';
import { describe, diffOf, type ApplyPlan, pathsOfChange, shown } from './patchTool.ts';
import { failureText, successText } from './patchTexts.ts';
import { reviewNote } from './choicesNote.ts';
import { withAgreement } from './unsavedEdits.ts';

/** Maximum number of times that a patch is planned again because a file changed between plan and application. */
const MAX_REPLANS = 5;

/**
 * Applies the plan, or what the user has left of it. Every failure is a result. `changedSince` in it: the files keep changing,
 * and another approval is needed. @throws the reason of the signal
 */
export async function applyApproved(
  plan: ApplyPlan,
  { answer, boundTo }: Pick<Attempt, 'answer' | 'boundTo'>,
  context: ToolContext,
  { leavesUnsaved = false }: Pick<ToolOptions, 'leavesUnsaved'> = {},
): Promise<ToolResult> {
  const { planned, proposal, item } = plan;
  const { workspace, clock, signal, settings } = context;
  const startedAt = clock.monotonic();
  await context.flush();
  const review = reviewIn(answer);
  // Before the patch, which may put a file of its own in place of a link.
  const hidden = await refusalsOf(review === undefined ? [] : planned.changes.flatMap(pathsOfChange), context);
  const taken = review === undefined ? planned : reviewedPlan(plan, review);
  const notes = [
    ...plan.moved.map(({ from, to }) => `The user has moved ${from} to ${to} since; the patch was applied there.`),
    ...(review === undefined ? [] : [reviewNote(proposal, review, taken.changes, (file) => hidden.has(file))]),
  ];
  const origin: ApplyOrigin = {
    ...originOf(plan, context),
    ...(answer === null ? { isUnseen: true } : {}),
    ...(leavesUnsaved ? { staysUnsaved: true } : {}),
  };
  let current: DecidedPlan | PlanFailure = taken;
  let others = '';
  for (let replans = 0; current.type === 'planned'; replans++) {
    const changes = withAgreement(current.changes, answer, (path) => shown(path, settings.cwd));
    const { result, report } = await checkedApply(changes, context, async () => {
      const applied = await context.changes.patchApplies(
        { itemId: item.id, paths: changes.flatMap(writtenBy) },
        () => workspace.apply(changes, signal, origin),
        ({ type }) => type === 'applied',
      );
      // Now and not when it was checked: a command may change the files by then.
      if (applied.type === 'applied') context.applied(changes);
      return applied;
    });
    if (result.type === 'applied') {
      const seconds = (clock.monotonic() - startedAt) / 1000;
      const more = report === undefined ? notes : [...notes, report.note];
      const applied = appliedItem(plan, current.changes, result.files, review, settings.cwd);
      return {
        output: successText(current.report, result.files, seconds, more),
        success: true,
        item: report === undefined ? applied : { ...applied, problems: report.problems },
      };
    }
    if (result.type === 'failed') return failed(item, failureText(result.message, result.notRestored));
    if (replans === MAX_REPLANS) {
      return failed(
        item,
        `The files keep changing while the patch is applied: ${result.paths.join(', ')}. Nothing was changed.`,
      );
    }
    if (result.byAnotherThread) others = ' by another thread';
    const again = await planAgain(plan, current, { isReviewed: review !== undefined, boundTo }, context);
    if (again === undefined) return changedSince(item);
    current = again;
  }
  const why = plan.readsSecret ? 'it is about a file with secrets, of which no line is shown.' : current.message;
  return failed(item, `The files were changed${others} in the meantime, and the patch no longer fits: ${why}`);
}

function originOf({ item }: ApplyPlan, { thread, turnId }: ToolContext): ApplyOrigin {
  return { threadId: thread.id, turnId, itemId: item.id };
}

/**
 * Plans again what was approved, for the files as they are now. `isReviewed`: the user has chosen among its changes, which are
 * kept. `boundTo`: the changes that the approval is bound to. Returns `undefined` where the approval does not cover the new
 * plan: no decision covers other places.
 */
async function planAgain(
  plan: ApplyPlan,
  current: DecidedPlan,
  { isReviewed, boundTo }: { readonly isReviewed: boolean; readonly boundTo: string | undefined },
  { workspace, signal }: Pick<ToolContext, 'workspace' | 'signal'>,
): Promise<DecidedPlan | PlanFailure | undefined> {
  const { places } = plan.planned;
  if (!(await leadThere(workspace, places))) return undefined;
  if (isReviewed) {
    const rebased = await rebaseIn(workspace, current.changes, places, signal);
    return rebased && { ...current, changes: rebased };
  }
  const again = await plan.again(places);
  if (again.type === 'moved') return undefined;
  const isOther = again.type === 'planned' && boundTo !== undefined && patchBinding(again.changes) !== boundTo;
  return isOther ? undefined : again;
}

/** Returns the plan without the changes that the user left out. The report names only the applied ones. */
function reviewedPlan({ planned, proposal, cwd }: ApplyPlan, review: ProposalChoices): ApplyPlan['planned'] {
  const changes = decidedChanges(reviewedChanges(proposal, review), planned.places);
  const written = new Set(changes.map(placeOf));
  const report = planned.report.filter(({ path }) => written.has(resolve(cwd, path)));
  return { ...planned, changes, report };
}

/** The files that it changes, links followed; of a removed link the link. */
function writtenBy({ kind, places: { path, movedTo } }: DecidedChange): readonly string[] {
  if (kind === 'delete') return [path.name];
  return movedTo === null ? [path.target] : [path.target, path.name, movedTo.target];
}

/** The path of the text after the change. */
function placeOf(change: FileChange): string {
  return change.kind === 'update' ? (change.movedTo ?? change.path) : change.path;
}

const CHANGED_SINCE = 'The files, or the places that their paths lead to, keep changing. Nothing was changed.';

function changedSince(item: TurnItemOf<'file_change'>): ToolResult {
  return { ...failed(item, CHANGED_SINCE), changedSince: true };
}

function appliedItem(
  { item, proposal }: ApplyPlan,
  applied: readonly FileChange[],
  files: readonly AppliedFile[],
  review: ProposalChoices | undefined,
  cwd: string,
): TurnItemOf<'file_change'> {
  const unsaved = new Set(files.filter(({ saved }) => !saved).map(({ path }) => path));
  const described = describe(applied, cwd);
  const changes = described.map(({ change, summary }) => {
    const note = unsaved.has(placeOf(change)) ? { unsaved: true } : {};
    return { ...summary, ...note, ...decisionOn(summary.path, review) };
  });
  const names = new Set(changes.map(({ path }) => path));
  const left = new Map(proposal.filter(({ name }) => !names.has(name)).map(({ name, hunks }) => [name, hunks.length]));
  const declined = item.changes
    .filter(({ path }) => left.has(path))
    .map((change) => ({
      ...change,
      decision: 'declined' as const,
      leftOut: Math.max(1, left.get(change.path) ?? 0),
      ...reasonsIn(review?.find(({ path }) => path === change.path)),
    }));
  return { ...item, status: 'completed', changes: [...changes, ...declined], diff: diffOf(described) };
}

function decisionOn(
  path: string,
  review: ProposalChoices | undefined,
): Pick<FileChangeSummary, 'decision' | 'leftOut' | 'reasons'> {
  const part = review?.find((each) => each.path === path);
  if (part === undefined) return { decision: 'accepted' };
  const given = reasonsIn(part);
  if ('text' in part) return { decision: 'edited', ...given };
  if (part.leftOut === 'file') return { decision: 'declined', ...given };
  return { decision: 'partial', leftOut: part.leftOut.length, ...given };
}

function reasonsIn(part: FileReview | undefined): Pick<FileChangeSummary, 'reasons'> {
  return part?.reasons === undefined ? {} : { reasons: part.reasons.map(({ text }) => text) };
}

function failed(item: TurnItemOf<'file_change'>, output: string): ToolResult {
  return { output, success: false, item: { ...item, status: 'failed', why: output } };
}
