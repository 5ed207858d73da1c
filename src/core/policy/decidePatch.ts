/**
 * What must happen before a patch lands (codex-behaviour.md §6.5, design decision 6).
 *
 * Pure, and lexical: paths are compared as text, so the hand that writes must still refuse links that lead outside.
 */
import type { ApprovalPolicy, DecisionReason, ReviewSetting, SandboxPolicy } from '../../protocol/policy.ts';
import type { Platform } from './knownSafe.ts';
import { type PathPlace, type WritableScope, placeOf } from './pathScope.ts';
import type { ApprovalRequirement } from './requirement.ts';

export interface PatchRequest {
  /** Every path it touches, absolute, the targets of moves included. */
  readonly paths: readonly string[];
  readonly approvalPolicy: ApprovalPolicy;
  readonly sandboxPolicy: SandboxPolicy;
  readonly writable: WritableScope;
  /** Files with unsaved edits of the person that would go. */
  readonly discards: readonly string[];
  readonly review: ReviewSetting;
  readonly platform: Platform;
}

type Outcome = 'lands' | 'review' | 'before' | 'refused';

/** Design decision 6. `review`: as `tiller.review` says. */
const PATCH_TABLE: Readonly<Record<ApprovalPolicy, { readonly inside: Outcome; readonly elsewhere: Outcome }>> = {
  untrusted: { inside: 'before', elsewhere: 'before' },
  'on-failure': { inside: 'review', elsewhere: 'before' },
  'on-request': { inside: 'review', elsewhere: 'before' },
  never: { inside: 'lands', elsewhere: 'refused' },
};

export function decidePatch(request: PatchRequest): ApprovalRequirement {
  if (request.paths.length === 0) return { type: 'forbidden', reason: EMPTY };
  const elsewhere = firstElsewhere(request);
  const outcome = outcomeOf(request, elsewhere !== undefined);
  const reason =
    elsewhere === undefined ? insideReason(outcome, request) : elsewhereReason(elsewhere, outcome, request);
  const [unsaved] = request.discards;
  // Under `never` the hand that lands it refuses, and the model hears why (design decision 5).
  if (unsaved !== undefined && elsewhere === undefined && request.approvalPolicy !== 'never') {
    return { type: 'needs_approval', reason: unsavedReason(unsaved), parts: [] };
  }
  switch (outcome) {
    case 'lands':
      return { type: 'skip', reason, bypassSandbox: false };
    case 'before':
      return { type: 'needs_approval', reason, parts: [] };
    case 'refused':
      return { type: 'forbidden', reason };
  }
}

function outcomeOf(request: PatchRequest, isElsewhere: boolean): Exclude<Outcome, 'review'> {
  const row = PATCH_TABLE[request.approvalPolicy];
  const outcome = isElsewhere ? row.elsewhere : row.inside;
  if (outcome !== 'review') return outcome;
  return request.review === 'before' ? 'before' : 'lands';
}

interface Elsewhere {
  readonly path: string;
  readonly place: Exclude<PathPlace, 'inside'>;
}

/** The first path that is not freely writable. Full access and a sandbox around us leave none; `read-only` leaves only such. */
function firstElsewhere({ paths, sandboxPolicy, writable, platform }: PatchRequest): Elsewhere | undefined {
  if (sandboxPolicy.type === 'danger-full-access' || sandboxPolicy.type === 'external-sandbox') return undefined;
  const scope = sandboxPolicy.type === 'read-only' ? { ...writable, roots: [] } : writable;
  for (const path of paths) {
    const place = placeOf(path, scope, platform);
    if (place !== 'inside') return { path, place };
  }
  return undefined;
}

const EMPTY: DecisionReason = { source: 'policy', id: 'empty-patch', text: 'The patch changes nothing.' };

function unsavedReason(path: string): DecisionReason {
  return { source: 'policy', id: 'unsaved-edits', text: `${path} holds edits that are not saved, and they would go.` };
}

function insideReason(outcome: Outcome, { approvalPolicy }: PatchRequest): DecisionReason {
  if (outcome === 'lands') {
    return {
      source: 'policy',
      id: 'inside-writable-roots',
      text: 'Everything it touches lies where Tiller may write.',
    };
  }
  return approvalPolicy === 'untrusted'
    ? { source: 'policy', id: 'untrusted', text: 'The approval policy is untrusted, which asks before every patch.' }
    : { source: 'policy', id: 'review-before', text: 'Patches wait for your review before they land.' };
}

function elsewhereReason(
  { path, place }: Elsewhere,
  outcome: Outcome,
  { sandboxPolicy }: PatchRequest,
): DecisionReason {
  const refused = outcome === 'refused' ? ', and the approval policy never asks' : '';
  if (sandboxPolicy.type === 'read-only') {
    return { source: 'policy', id: 'read-only', text: `Nothing may be written under the read-only policy${refused}.` };
  }
  return place === 'protected'
    ? { source: 'policy', id: 'protected-path', text: `${path} is protected${refused}.` }
    : { source: 'policy', id: 'outside-writable-roots', text: `${path} lies outside the writable folders${refused}.` };
}
