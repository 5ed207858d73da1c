/**
 * Decides what must happen before a patch is applied (codex-behaviour.md §6.5, design decision 6).
 *
 * Pure: paths and resolved places are compared as text. The port that applies the patch refuses it when a path leads to
 * another place by then.
 */
import {
  type ApprovalPolicy,
  type DecisionReason,
  type ReviewSetting,
  type SandboxPolicy,
  UNREADABLE_FILE,
} from '../../protocol/policy.ts';
import path from 'node:path';
import type { FilePlace, FilePlaces } from '../ports.ts';
import type { Platform } from './knownSafe.ts';
import { refusedInPlanMode } from './planMode.ts';
import { isSamePath, type PathPlace, type WritableScope, placeOf, placesIn } from './pathScope.ts';
import type { ApprovalRequirement } from './requirement.ts';

export interface PatchRequest {
  /** All paths that the patch touches, absolute, including the targets of moves. */
  readonly paths: readonly string[];
  /** Their resolved places. */
  readonly places: FilePlaces;
  readonly approvalPolicy: ApprovalPolicy;
  readonly sandboxPolicy: SandboxPolicy;
  readonly writable: WritableScope;
  /** The resolved places of the writable roots; a root that is missing here may be redirected by a command. */
  readonly rootPlaces: ReadonlyMap<string, string>;
  /** Files whose unsaved edits would be lost. */
  readonly discards: readonly string[];
  /** A file that may be read only when the user allows it, and that the patch reads or replaces: a clause with its path. */
  readonly reads: string | undefined;
  readonly review: ReviewSetting;
  /** The user wants only a plan. */
  readonly planMode?: boolean | undefined;
  readonly platform: Platform;
}

type Outcome = 'apply' | 'review' | 'before' | 'refused';

/** Design decision 6. `review`: the setting `tiller.review` decides. */
const PATCH_TABLE: Readonly<Record<ApprovalPolicy, { readonly inside: Outcome; readonly elsewhere: Outcome }>> = {
  untrusted: { inside: 'before', elsewhere: 'before' },
  'on-failure': { inside: 'review', elsewhere: 'before' },
  'on-request': { inside: 'review', elsewhere: 'before' },
  never: { inside: 'apply', elsewhere: 'refused' },
};

export function decidePatch(request: PatchRequest): ApprovalRequirement {
  if (request.paths.length === 0) return { type: 'forbidden', reason: EMPTY };
  if (request.planMode === true) return refusedInPlanMode('Patches are not applied');
  const elsewhere = firstElsewhere(request);
  const outcome = outcomeOf(request, elsewhere !== undefined);
  const reason =
    elsewhere === undefined ? insideReason(outcome, request) : elsewhereReason(elsewhere, outcome, request);
  const { reads } = request;
  if (reads !== undefined && outcome !== 'refused') {
    const isNever = request.approvalPolicy === 'never';
    const text = isNever ? `${reads}, and the approval policy never asks.` : `${reads}.`;
    const unreadable: DecisionReason = { source: 'policy', id: UNREADABLE_FILE, text };
    if (isNever) return { type: 'forbidden', reason: unreadable };
    if (elsewhere === undefined) return { type: 'needs_approval', reason: unreadable, parts: [] };
  }
  const [unsaved] = request.discards;
  // Under `never` the port that applies the patch refuses it, and the model gets the reason (design decision 5).
  if (unsaved !== undefined && elsewhere === undefined && request.approvalPolicy !== 'never') {
    return { type: 'needs_approval', reason: unsavedReason(unsaved), parts: [] };
  }
  switch (outcome) {
    case 'apply':
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
  return request.review === 'before' ? 'before' : 'apply';
}

interface Elsewhere {
  readonly path: string;
  /** The resolved place, if a link leads there. */
  readonly leadsTo?: string;
  readonly place: Exclude<PathPlace, 'inside'> | 'linked';
}

/**
 * Returns the first path that is not freely writable. With full access and with an external sandbox there is none;
 * under `read-only` no path is writable.
 */
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

/** Both the path as written and its resolved place must lie inside a root, with no link below the root between them. */
function elsewhereOf(
  named: string,
  request: PatchRequest,
  placeIn: (target: string) => PathPlace,
): Elsewhere | undefined {
  const { places, platform } = request;
  const found = places.get(named);
  for (const spelling of new Set(found === undefined ? [named] : [named, found.name, found.target])) {
    const place = placeIn(spelling);
    if (place === 'inside') continue;
    return isSamePath(spelling, named, platform) ? { path: named, place } : { path: named, leadsTo: spelling, place };
  }
  const isDirect = found === undefined || (found.name === named && found.target === named);
  if (isDirect || !isLinked(named, found, request)) return undefined;
  return { path: named, leadsTo: found.target, place: 'linked' };
}

/**
 * True when a link below a writable root is on the path, because a command can redirect it. A root itself may be
 * reached by a link.
 */
function isLinked(named: string, found: FilePlace, { rootPlaces, platform }: PatchRequest): boolean {
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const ways = [...rootPlaces].flatMap(([root, place]) => [[root, place] as const, [place, place] as const]);
  const around = ways.filter(([root]) => placeOf(named, { roots: [root], protectedNames: [] }, platform) === 'inside');
  return !around.every(([root, place]) => {
    const direct = paths.join(place, paths.relative(root, named));
    return [found.name, found.target].every((resolved) => isSamePath(resolved, direct, platform));
  });
}

const EMPTY: DecisionReason = { source: 'policy', id: 'empty-patch', text: 'The patch changes nothing.' };

function unsavedReason(path: string): DecisionReason {
  return { source: 'policy', id: 'unsaved-edits', text: `${path} has unsaved edits, which would be lost.` };
}

function insideReason(outcome: Outcome, { approvalPolicy }: PatchRequest): DecisionReason {
  if (outcome === 'apply') {
    return {
      source: 'policy',
      id: 'inside-writable-roots',
      text: 'All its files lie in writable folders.',
    };
  }
  return approvalPolicy === 'untrusted'
    ? { source: 'policy', id: 'untrusted', text: 'The approval policy asks before every patch.' }
    : { source: 'policy', id: 'review-before', text: 'You review changes before they are applied.' };
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
