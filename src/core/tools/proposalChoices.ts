/** The user's choices on a patch, between its approval request and its application. */
import { type ApprovalDecision, denialIn, type ProposalChoices, reviewIn } from '../../protocol/policy.ts';
import { carryReview, reviewedChanges, reviewProblem } from '../patch/proposalChoices.ts';
import type { ProposedFile } from '../ports.ts';
import type { Preparation } from './handler.ts';
import { isBelow, pathBelow } from '../util/pathBelow.ts';
import { reasonsFor } from './handlers/choicesNote.ts';

/**
 * Returns the effective answer: a patch without remaining changes is denied. Choices that do not belong to this patch
 * are a problem.
 */
export function takeReview(
  decision: ApprovalDecision,
  proposal: readonly ProposedFile[] | undefined,
): { readonly decision: ApprovalDecision } | { readonly problem: string } {
  const review = reviewIn(decision);
  if (review === undefined) return { decision };
  if (proposal === undefined) return { problem: 'Only a patch can be approved in part.' };
  const problem = reviewProblem(review, proposal);
  if (problem !== undefined) return { problem };
  return { decision: reviewedChanges(proposal, review).length === 0 ? deniedWith({}, review, proposal) : decision };
}

/** A denial with the reasons that the user has given for hunks of the patch. */
function deniedWith(
  denial: { readonly message?: string | undefined },
  review: ProposalChoices,
  proposal: readonly ProposedFile[],
): ApprovalDecision {
  const reasons = reasonsFor(proposal, review);
  if (reasons.length === 0) return { denied: denial };
  return { denied: { message: [denial.message ?? 'Nothing of this patch is taken.', ...reasons].join('\n') } };
}

/**
 * An approval of a whole patch as it counts when `review` holds the choices that the user made in its editors: unsaved
 * edits are discarded only in files that are applied. A denial gets the reasons that the user has given there. Every
 * other decision stays as it is.
 */
export function withChoices(
  decision: ApprovalDecision,
  review: ProposalChoices | undefined,
  proposal: readonly ProposedFile[] = [],
): ApprovalDecision {
  if (review === undefined) return decision;
  const denial = denialIn(decision);
  if (denial !== undefined) return deniedWith(denial, review, proposal);
  const isDiscarding = typeof decision === 'object' && 'approved_discarding' in decision;
  if (!isDiscarding && decision !== 'approved' && decision !== 'approved_for_thread') return decision;
  const agreed = isDiscarding ? decision.approved_discarding.paths : [];
  const left = new Set(review.filter((part) => 'leftOut' in part && part.leftOut === 'file').map(({ path }) => path));
  const discarding = agreed.filter((path) => !left.has(path));
  return { approved_reviewed: { files: review, ...(discarding.length > 0 ? { discarding } : {}) } };
}

/** The choices, files and folders of an earlier request for a patch, which was answered or withdrawn. */
export interface GivenReview {
  readonly review: ProposalChoices | undefined;
  readonly proposal: readonly ProposedFile[] | undefined;
  readonly folders: readonly string[] | undefined;
}

/**
 * Starts the next approval request with the earlier choices, as far as they still fit, and names the folders that are gone
 * since.
 */
export function withGivenReview<Plan>(prepared: Preparation<Plan>, given: GivenReview | undefined): Preparation<Plan> {
  if (prepared.type === 'failure' || prepared.card === undefined || prepared.proposal === undefined) return prepared;
  if (given?.proposal === undefined) return prepared;
  const { proposal, card } = prepared;
  const review = given.review && underNewNames(given.review, given.proposal, proposal);
  const earlier = given.proposal.map((file, index) => ({ ...file, name: nameNow(file, index, proposal) }));
  const reviewed = review && carryReview(review, earlier, proposal);
  const gone = goneFolders(given.folders ?? [], prepared.folders ?? [], proposal);
  const missingFolders = gone.map((folder) => pathBelow(card.cwd ?? folder, folder) || folder);
  return {
    ...prepared,
    card: { ...card, ...(reviewed && { reviewed }), ...(missingFolders.length > 0 && { missingFolders }) },
  };
}

/** The files of a patch stay in their order when the user moves some of them. */
function nameNow({ name }: ProposedFile, index: number, now: readonly ProposedFile[]): string {
  return now.some((file) => file.name === name) ? name : (now[index]?.name ?? name);
}

function underNewNames(
  review: ProposalChoices,
  from: readonly ProposedFile[],
  to: readonly ProposedFile[],
): ProposalChoices {
  return review.map((part) => {
    const index = from.findIndex(({ name }) => name === part.path);
    const file = from[index];
    return file === undefined ? part : { ...part, path: nameNow(file, index, to) };
  });
}

/** Folders above the written files that existed at the earlier request. */
function goneFolders(
  before: readonly string[],
  now: readonly string[],
  proposal: readonly ProposedFile[],
): readonly string[] {
  const written = proposal.map(({ change }) =>
    change.kind === 'update' ? (change.movedTo ?? change.path) : change.path,
  );
  return before.filter(
    (folder) => !now.some((each) => isBelow(each, folder)) && written.some((file) => isBelow(file, folder)),
  );
}
