/** Plans and decides a patch, whichever tool the model used to send it. */
import path from 'node:path';
import type { FileChangeSummary, TurnItemOf } from '../../../protocol/item.ts';
import type { DecisionReason, ReviewSetting } from '../../../protocol/policy.ts';
import type { PatchOperation } from '../../patch/operation.ts';
import { parsePatch } from '../../patch/parse.ts';
import { leadThere } from '../../patch/placedChange.ts';
import { pathsOf } from '../../patch/plan.ts';
import { reviewedChanges } from '../../patch/proposalChoices.ts';
import { fileDiff } from '../../patch/unifiedDiff.ts';
import { patchApprovalKeys, patchBinding } from '../../policy/approvalKeys.ts';
import { decidePatch } from '../../policy/decidePatch.ts';
import type { ApprovalRequirement } from '../../policy/requirement.ts';
import { refuseUnreadable } from '../../policy/unreadableSource.ts';
import type { FileChange, FilePlaces, ProposedFile, ProposedHunk } from '../../ports.ts';
import type { FileMove } from '../../util/moveLog.ts';
import { isBelow, pathBelow } from '../../util/pathBelow.ts';
import type { Preparation, ToolContext } from '../handler.ts';
import { type DecidedPlan, planPatchIn } from '../planPatchIn.ts';
import { inTemporaryFolder } from '../temporaryPaths.ts';
import { followMoves, foldersAbove, isAnyGone, wasMoved, watchMoves } from './movedFiles.ts';
import { inOpenFolders } from './openFolders.ts';
import { type PatchScope, patchScope, writableIn } from './patchScope.ts';
import { readsSecret, refuseSources, replacedSources, secretAmong } from './patchSources.ts';
import { isDiscarding, unsavedEditsLost } from './unsavedEdits.ts';

export interface ApplyPlan {
  readonly operations: readonly PatchOperation[];
  /** The folder that relative paths start from. */
  readonly cwd: string;
  readonly planned: DecidedPlan;
  /** Files that the user has moved since the model wrote the patch, as they are shown. */
  readonly moved: readonly FileMove[];
  /** What the user is asked to approve, file by file. */
  readonly proposal: readonly ProposedFile[];
  readonly item: TurnItemOf<'file_change'>;
}

/** Parses, reads, plans and decides. A patch that does not fit is a failure and nothing is touched. */
export async function preparePatch(
  patch: string,
  review: ReviewSetting,
  context: ToolContext,
  workdirs: readonly string[] = [],
): Promise<Preparation<ApplyPlan>> {
  const workdir = path.resolve(context.settings.cwd, ...workdirs);
  const parsed = parsePatch(patch);
  if (parsed.type === 'invalid') return failure(parsed.message);
  const named = await inOpenFolders(parsed.operations, workdir, context.workspace);
  const { settings, host, workspace, signal } = context;
  const movesSeen = workspace.moves?.count ?? 0;
  const followed = followMoves(await inTemporaryFolder(named, workdir, context), workdir, context);
  const { operations } = followed;
  const scope = await patchScope(context);
  let secret: string | undefined;
  const planned = await planPatchIn(workspace, operations, workdir, signal, (places) => {
    secret = readsSecret(operations, workdir, places, scope);
    return refuseSources(operations, workdir, places, scope, context);
  });
  if (planned.type === 'failed') {
    // The message of a patch that does not fit quotes the file.
    return failure(secret === undefined ? planned.message : `${secret}, and the patch does not fit it.`);
  }
  if (planned.type === 'refused') return refusal(planned.reason, operations, workdir, context);
  const unreadable = refuseUnreadable(replacedSources(planned.changes), scope.reading, host.platform);
  if (unreadable !== undefined) return refusal(unreadable, operations, workdir, context);

  const reads = secret ?? secretAmong(replacedSources(planned.changes), scope);
  const decide = async (asked: Asked, current: PatchScope) =>
    decidePatch({
      paths: asked.paths,
      places: asked.places,
      discards: [...asked.discards].map((file) => shown(file, settings.cwd)),
      reads,
      approvalPolicy: settings.approvalPolicy,
      sandboxPolicy: settings.sandboxPolicy,
      writable: await writableIn(current, asked.paths, asked.places, workspace),
      rootPlaces: current.rootPlaces,
      review,
      planMode: settings.planMode,
      platform: host.platform,
    });
  const allPaths = pathsOf(operations, workdir);
  const discards = await unsavedEditsLost(planned.changes, planned.places, workspace, signal);
  const requirement = await decide({ paths: allPaths, places: planned.places, discards }, scope);
  const described = describe(planned.changes, settings.cwd);
  const changes = described.map(({ summary }) => summary);
  const proposed = described.map(({ change, summary }) => ({
    ...summary,
    ...(isDiscarding(change, discards) ? { discardsUnsaved: true } : {}),
  }));
  const diff = diffOf(described);
  const proposal = described.map(({ change, summary, hunks }) => ({ name: summary.path, change, hunks }));
  const item = fileChangeItem(context.itemId, context.callId, changes, diff);
  const moved = followed.moved.map(({ from, to }) => ({
    from: shown(from, settings.cwd),
    to: shown(to, settings.cwd),
  }));
  const folders = await foldersAbove(planned.changes.flatMap(writtenAnew), workspace);
  return {
    type: 'ready',
    plan: { operations, cwd: workdir, planned, moved, proposal, item },
    requirement,
    item,
    card: { kind: 'patch', cwd: workdir, changes: proposed, diff, ...(moved.length > 0 ? { moved } : {}) },
    proposal,
    folders,
    watch: (onOutdated) => watchMoves(allPaths, workspace, movesSeen, onOutdated),
    reconsider: async (reviewed) => {
      const left = reviewed === undefined ? planned.changes : reviewedChanges(proposal, reviewed);
      const paths = reviewed === undefined ? allPaths : left.flatMap(pathsOfChange);
      const lost = new Set(left.flatMap(pathsOfChange).filter((file) => discards.has(file)));
      const before = await decide({ paths, places: planned.places, discards: lost }, scope);
      const anew = left.flatMap(writtenAnew);
      const needed = folders.filter((folder) => anew.some((file) => isBelow(file, folder)));
      const isThere =
        (await leadThere(workspace, planned.places)) &&
        !wasMoved(paths, workspace, movesSeen) &&
        !(await isAnyGone(needed, workspace));
      const now = {
        paths,
        places: planned.places,
        discards: await unsavedEditsLost(left, planned.places, workspace, signal),
      };
      const requirement = await decide(now, await patchScope(context));
      const isAsAsked = isThere && [...now.discards].every((file) => lost.has(file)) && isSame(requirement, before);
      return { requirement, matchedRules: [], ...(isAsAsked ? {} : { isOutdated: true }) };
    },
    // The loss of unsaved edits and the use of a file with secrets need an approval each time.
    approvalKeys: discards.size > 0 || reads !== undefined ? [] : patchApprovalKeys([...planned.places.values()]),
    binding: patchBinding(planned.changes),
  };
}

/** The facts that a decision depends on. */
interface Asked {
  readonly paths: readonly string[];
  readonly places: FilePlaces;
  /** Files whose unsaved edits would be lost. */
  readonly discards: ReadonlySet<string>;
}

/** True when an approval for `before` also covers `now`. A requirement that needs no approval any more is covered. */
function isSame(now: ApprovalRequirement, before: ApprovalRequirement): boolean {
  if (now.type !== 'needs_approval' || before.type !== 'needs_approval') return true;
  return now.reason.id === before.reason.id && now.reason.text === before.reason.text;
}

/** Files that it creates, in folders that need not exist. */
function writtenAnew(change: FileChange): readonly string[] {
  if (change.kind === 'add') return [change.path];
  return change.kind === 'update' && change.movedTo !== null ? [change.movedTo] : [];
}

function pathsOfChange(change: FileChange): readonly string[] {
  return change.kind === 'update' && change.movedTo !== null ? [change.path, change.movedTo] : [change.path];
}

/** Shown and recorded like every refusal, with the file names and none of their text. */
function refusal(
  reason: DecisionReason,
  operations: readonly PatchOperation[],
  cwd: string,
  context: ToolContext,
): Preparation<ApplyPlan> {
  const name = (written: string) => shown(path.resolve(cwd, written), context.settings.cwd);
  const changes = operations.map((operation) => ({
    path: name(operation.path),
    kind: operation.type,
    ...(operation.type === 'update' && operation.movedTo !== null ? { movedTo: name(operation.movedTo) } : {}),
    added: 0,
    removed: 0,
  }));
  const item = fileChangeItem(context.itemId, context.callId, changes, '');
  const planned: DecidedPlan = { type: 'planned', changes: [], report: [], places: new Map() };
  return {
    type: 'ready',
    plan: { operations, cwd, planned, moved: [], proposal: [], item },
    requirement: { type: 'forbidden', reason },
    item,
    approvalKeys: [],
  };
}

/** A change as it is displayed. Computed once, because the diff of a long file is slow. */
export interface DescribedChange {
  readonly change: FileChange;
  readonly summary: FileChangeSummary;
  readonly diff: string;
  readonly hunks: readonly ProposedHunk[];
}

export function describe(changes: readonly FileChange[], cwd: string): readonly DescribedChange[] {
  return changes.map((change) => {
    const { text, added, removed, hunks } = fileDiff(change, cwd);
    const moved = change.kind === 'update' && change.movedTo !== null ? { movedTo: shown(change.movedTo, cwd) } : {};
    return {
      change,
      summary: { path: shown(change.path, cwd), kind: change.kind, ...moved, added, removed },
      diff: text,
      hunks,
    };
  });
}

export function diffOf(described: readonly DescribedChange[]): string {
  return described.map(({ diff }) => diff).join('');
}

/** The path relative to the working directory if it lies inside. */
export function shown(file: string, cwd: string): string {
  return pathBelow(cwd, file) || file;
}

export function fileChangeItem(
  id: string,
  callId: string,
  changes: FileChangeSummary[],
  diff: string,
): TurnItemOf<'file_change'> {
  return { id, type: 'file_change', status: 'in_progress', callId, changes, diff };
}

function failure(message: string): { type: 'failure'; output: string } {
  return { type: 'failure', output: `apply_patch verification failed: ${message}` };
}
