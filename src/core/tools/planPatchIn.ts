import type { PatchOperation } from '../patch/operation.ts';
import { decidedChanges } from '../patch/placedChange.ts';
import { type PatchPlan, pathsOf, planPatch } from '../patch/plan.ts';
import { rebaseChange } from '../patch/proposalChoices.ts';
import type { FileSnapshot } from '../patch/workingTree.ts';
import {
  type DecidedChange,
  type FilePlace,
  type FilePlaces,
  type TextFile,
  type Workspace,
  WorkspaceError,
} from '../ports.ts';

export type DecidedPlan = Extract<PatchPlan, { type: 'planned' }> & {
  readonly changes: readonly DecidedChange[];
  /** The resolved places of all paths of the patch. */
  readonly places: FilePlaces;
};

export type PlanFailure = Extract<PatchPlan, { type: 'failed' }>;

/** The paths lead to other places now. */
export interface PlacesMoved {
  readonly type: 'moved';
}

/** The resolved place of each path of a patch, or the error if it cannot be resolved. */
export type LookedUpPlaces = ReadonlyMap<string, FilePlace | WorkspaceError>;

/** Maximum number of times that places are resolved again because a link was created or removed. */
const MAX_LOOKS = 5;

/**
 * Reads the files that a patch names, open buffers first, and plans it. No side effects. `refuse` is called before
 * anything is read; if it returns a refusal, that is returned instead of a plan.
 */
export async function planPatchIn<Refusal extends { readonly type: 'refused' } = never>(
  workspace: Workspace,
  operations: readonly PatchOperation[],
  cwd: string,
  signal?: AbortSignal,
  refuse?: (places: LookedUpPlaces) => Promise<Refusal | undefined>,
): Promise<DecidedPlan | PlanFailure | Refusal> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const places = await workspace.places(pathsOf(operations, cwd));
    const refusal = await refuse?.(places);
    if (refusal !== undefined) return refusal;
    const plan = await planAt(workspace, operations, cwd, places, signal);
    if (plan.type !== 'moved') return plan;
  }
  return {
    type: 'failed',
    category: 'cannot_read',
    message: 'The folders of these files keep being replaced by links, and the other way round; nothing was changed.',
  };
}

/** Plans a patch; reads at these places only. */
export async function planAt(
  workspace: Workspace,
  operations: readonly PatchOperation[],
  cwd: string,
  places: LookedUpPlaces,
  signal?: AbortSignal,
): Promise<DecidedPlan | PlanFailure | PlacesMoved> {
  const known = knownPlaces(places);
  const read = await workspace.readPlaces(known, signal);
  const files = new Map<string, FileSnapshot>();
  for (const [path, place] of places) {
    const snapshot = place instanceof WorkspaceError ? snapshotOf(place) : snapshotAt(path, read);
    if (snapshot === undefined) return { type: 'moved' };
    files.set(path, snapshot);
  }
  const plan = planPatch(operations, cwd, files);
  if (plan.type === 'failed') return plan;
  return { ...plan, changes: decidedChanges(plan.changes, known), places: known };
}

/**
 * Carries the changes over to the current text of the files; `undefined` when one of them would become a different
 * change, or its path leads elsewhere.
 */
export async function rebaseIn(
  workspace: Workspace,
  changes: readonly DecidedChange[],
  places: FilePlaces,
  signal?: AbortSignal,
): Promise<readonly DecidedChange[] | undefined> {
  const read = await workspace.readPlaces(places, signal);
  const rebased = changes.map((change) => {
    const target = change.kind === 'update' ? change.movedTo : null;
    const now = snapshotAt(change.path, read);
    const over = target === null ? undefined : snapshotAt(target, read);
    if (now === undefined || (target !== null && over === undefined)) return undefined;
    return rebaseChange(change, now, over);
  });
  return rebased.every((change) => change !== undefined) ? decidedChanges(rebased, places) : undefined;
}

function knownPlaces(places: LookedUpPlaces): FilePlaces {
  return new Map([...places].flatMap(([path, place]) => (place instanceof WorkspaceError ? [] : [[path, place]])));
}

/** Returns `undefined` where the path leads elsewhere. */
function snapshotAt(path: string, read: ReadonlyMap<string, TextFile | WorkspaceError>): FileSnapshot | undefined {
  const found = read.get(path);
  if (found === undefined || (found instanceof WorkspaceError && found.code === 'moved')) return undefined;
  return snapshotOf(found);
}

function snapshotOf(found: TextFile | WorkspaceError): FileSnapshot {
  if (!(found instanceof WorkspaceError)) return { type: 'text', text: found.text, isCells: found.isCells };
  if (found.code === 'not_found') return { type: 'missing' };
  if (found.code === 'is_directory') return { type: 'directory' };
  if (found.code === 'not_text') return { type: 'not_text' };
  return { type: 'unreadable', message: reasonOf(found) };
}

/** The message as part of a sentence that already names the path. */
function reasonOf({ message, path }: WorkspaceError): string {
  const reason = message.startsWith(`${path} `) ? `it ${message.slice(path.length + 1)}` : message;
  return reason.replace(/\.$/, '');
}
