/**
 * What must happen before a patch lands (codex-behaviour.md §6.5, design decision 6).
 *
 * Pure: paths and the places they lead to are compared as text. The port that lands the patch refuses it when a path leads
 * to another place by then.
 */
import type { ApprovalPolicy, DecisionReason, ReviewSetting, SandboxPolicy } from '../../protocol/policy.ts';
import path from 'node:path';
import type { FilePlace, FilePlaces } from '../ports.ts';
import type { Platform } from './knownSafe.ts';
import { isSamePath, type PathPlace, type WritableScope, placeOf, placesIn } from './pathScope.ts';
import type { ApprovalRequirement } from './requirement.ts';

export interface PatchRequest {
  /** Every path it touches, absolute, the targets of moves included. */
  readonly paths: readonly string[];
  /** Where they lead. */
  readonly places: FilePlaces;
  readonly approvalPolicy: ApprovalPolicy;
  readonly sandboxPolicy: SandboxPolicy;
  readonly writable: WritableScope;
  /** Where the writable roots lead; a root that is missing here may be led elsewhere by a command. */
  readonly rootPlaces: ReadonlyMap<string, string>;
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
  /** Set when a link leads there. */
  readonly leadsTo?: string;
  readonly place: Exclude<PathPlace, 'inside'> | 'linked';
}

/** The first path that is not freely writable. Full access and a sandbox around us leave none; `read-only` leaves only such. */
function firstElsewhere(request: PatchRequest): Elsewhere | undefined {
  const { paths, sandboxPolicy, writable, rootPlaces } = request;
  if (sandboxPolicy.type === 'danger-full-access' || sandboxPolicy.type === 'external-sandbox') return undefined;
  const roots = sandboxPolicy.type === 'read-only' ? [] : [...writable.roots, ...rootPlaces.values()];
  const placeIn = placesIn({ ...writable, roots }, request.platform);
  for (const named of paths) {
    const found = elsewhereOf(named, request, placeIn);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** It has to lie inside as it is written and where it leads, and no link below a root may lie between the two. */
function elsewhereOf(
  named: string,
  request: PatchRequest,
  placeIn: (target: string) => PathPlace,
): Elsewhere | undefined {
  const { places, platform } = request;
  const found = places.get(named);
  for (const one of new Set(found === undefined ? [named] : [named, found.name, found.target])) {
    const place = placeIn(one);
    if (place === 'inside') continue;
    return isSamePath(one, named, platform) ? { path: named, place } : { path: named, leadsTo: one, place };
  }
  const isDirect = found === undefined || (found.name === named && found.target === named);
  if (isDirect || !isLinked(named, found, request)) return undefined;
  return { path: named, leadsTo: found.target, place: 'linked' };
}

/**
 * Whether a link below a writable root lies on the way: a command can make it lead elsewhere. A root itself may be reached
 * by one.
 */
function isLinked(named: string, found: FilePlace, { rootPlaces, platform }: PatchRequest): boolean {
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const ways = [...rootPlaces].flatMap(([root, place]) => [[root, place] as const, [place, place] as const]);
  const around = ways.filter(([root]) => placeOf(named, { roots: [root], protectedNames: [] }, platform) === 'inside');
  return !around.every(([root, place]) => {
    const direct = paths.join(place, paths.relative(root, named));
    return [found.name, found.target].every((one) => isSamePath(one, direct, platform));
  });
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
  { path: named, leadsTo, place }: Elsewhere,
  outcome: Outcome,
  { sandboxPolicy }: PatchRequest,
): DecisionReason {
  const refused = outcome === 'refused' ? ', and the approval policy never asks' : '';
  if (sandboxPolicy.type === 'read-only') {
    return { source: 'policy', id: 'read-only', text: `Nothing may be written under the read-only policy${refused}.` };
  }
  const what = leadsTo === undefined ? named : `${named} leads to ${leadsTo}, which`;
  switch (place) {
    case 'protected':
      return { source: 'policy', id: 'protected-path', text: `${what} is protected${refused}.` };
    case 'linked':
      return { source: 'policy', id: 'protected-path', text: `${named} leads by a link to ${leadsTo}${refused}.` };
    case 'outside':
      return {
        source: 'policy',
        id: 'outside-writable-roots',
        text: `${what} lies outside the writable folders${refused}.`,
      };
  }
}
