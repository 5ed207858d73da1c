/** The user's choices on a patch, between its approval request and its application. */
import { type ApprovalDecision, denialIn, type ProposalChoices, reviewIn } from '../../protocol/policy.ts';
import { carryReview, reviewedChanges, reviewProblem } from '../patch/proposalChoices.ts';
import type { ProposedFile } from '../ports.ts';
import type { Preparation } from './handler.ts';
import { reasonsFor } from './handlers/choicesNote.ts';

/**
 * The effective answer: a patch with nothing left is denied. Choices that do not belong to this patch are a problem.
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

/** The choices that were made on a patch that could not be applied as it was. */
export interface GivenReview {
  readonly review: ProposalChoices | undefined;
  readonly proposal: readonly ProposedFile[] | undefined;
}

/** Starts the next approval request with the earlier choices, as far as they still fit. */
export function withGivenReview<Plan>(prepared: Preparation<Plan>, given: GivenReview | undefined): Preparation<Plan> {
  if (prepared.type === 'failure' || prepared.card === undefined || prepared.proposal === undefined) return prepared;
  if (given?.review === undefined || given.proposal === undefined) return prepared;
  const reviewed = carryReview(given.review, given.proposal, prepared.proposal);
  return reviewed === undefined ? prepared : { ...prepared, card: { ...prepared.card, reviewed } };
}
