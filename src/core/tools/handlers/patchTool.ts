/** Plans and decides a patch, whichever tool the model used to send it. */
import path from 'node:path';
import type { FileChangeSummary, TurnItemOf } from '../../../protocol/item.ts';
import type { DecisionReason, ReviewSetting } from '../../../protocol/policy.ts';
import type { FileOperation } from '../../patch/operation.ts';
import { parsePatch } from '../../patch/parse.ts';
import { leadThere } from '../../patch/placedChange.ts';
import { pathsOf } from '../../patch/plan.ts';
import { reviewedChanges } from '../../patch/proposalChoices.ts';
import { binaryDiff, fileDiff } from '../../patch/unifiedDiff.ts';
import { patchApprovalKeys, patchBinding } from '../../policy/approvalKeys.ts';
import { decidePatch } from '../../policy/decidePatch.ts';
import type { ApprovalRequirement } from '../../policy/requirement.ts';
import { refuseUnreadable } from '../../policy/unreadableSource.ts';
import type { FileChange, FilePlaces, ProposedFile, ProposedHunk } from '../../ports.ts';
import type { FileMove } from '../../util/moveLog.ts';
import { isBelow, pathBelow } from '../../util/pathBelow.ts';
import type { Preparation, Reconsidered, ToolContext } from '../handler.ts';
import {
  type DecidedPlan,
  type LookedUpPlaces,
  type PlacesMoved,
  planAt,
  type PlanFailure,
  planPatchIn,
} from '../planPatchIn.ts';
import { inTemporaryFolder } from '../temporaryPaths.ts';
import { followMoves, foldersAbove, isAnyGone, wasMoved, watchMoves } from './movedFiles.ts';
import { inOpenFolders } from './openFolders.ts';
import { type PatchScope, patchScope, writableIn } from './patchScope.ts';
import { readsSecret, refuseSources, replacedSources, secretAmong } from './patchSources.ts';
import { isDiscarding, unsavedEditsLost } from './unsavedEdits.ts';

export interface ApplyPlan {
  /** The folder that relative paths start from. */
  readonly cwd: string;
  readonly planned: DecidedPlan;
  /** Plans again at the decided places, because the files have changed. `moved`: only a new preparation can. */
  readonly again: (places: FilePlaces) => Promise<DecidedPlan | PlanFailure | PlacesMoved>;
  /** Files that the user has moved since the model wrote the patch, as they are shown. */
  readonly moved: readonly FileMove[];
  /** True when it reads a file with secrets: a message to the model quotes no line of it. */
  readonly readsSecret: boolean;
  /** The files that the user is asked to approve. */
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
  if (parsed.type === 'invalid') return { type: 'failure', output: failedText(parsed.message) };
  const named = await inOpenFolders(parsed.operations, workdir, context.workspace);
  const { workspace, signal } = context;
  const movesSeen = workspace.moves?.count ?? 0;
  const { operations, moved } = followMoves(await inTemporaryFolder(named, workdir, context), workdir, context);
  return prepareChanges(
    {
      operations,
      moved,
      movesSeen,
      cwd: workdir,
      plan: (refuse) => planPatchIn(workspace, operations, workdir, signal, refuse),
      again: (places) => planAt(workspace, operations, workdir, places, signal),
      failed: failedText,
    },
    review,
    context,
  );
}

type Refused = { readonly type: 'refused'; readonly reason: DecisionReason };

/** Changes of files that are to be decided about. */
export interface ChangeSource extends Pick<ApplyPlan, 'cwd' | 'again'> {
  readonly operations: readonly FileOperation[];
  /** Files that the user has moved since the model wrote the call. */
  readonly moved: readonly FileMove[];
  /** The number of moves of the user that the operations take into account. */
  readonly movesSeen: number;
  /** Calls `refuse` before it reads one of the files, and returns the refusal. */
  readonly plan: (
    refuse: (places: LookedUpPlaces) => Promise<Refused | undefined>,
  ) => Promise<DecidedPlan | PlanFailure | Refused>;
  /** Returns the output for the model. `message`: the reason why the patch does not fit. */
  readonly failed: (message: string) => string;
}

/** Plans and decides: the part that a patch shares with other tools that change files. */
export async function prepareChanges(
  { operations, moved: movedFiles, movesSeen, cwd: workdir, plan, again, failed }: ChangeSource,
  review: ReviewSetting,
  context: ToolContext,
): Promise<Preparation<ApplyPlan>> {
  const { host, workspace, signal } = context;
  const scope = await patchScope(context);
  let secret: string | undefined;
  const planned = await plan(async (places) => {
    secret = await readsSecret(operations, workdir, places, scope, context);
    return refuseSources(operations, workdir, places, scope, context);
  });
  if (planned.type === 'failed') {
    // The message of a patch that does not fit quotes the file.
    const message = secret === undefined ? planned.message : `${secret}, and the patch does not fit it.`;
    return { type: 'failure', output: failed(message) };
  }
  if (planned.type === 'refused') return refusal(planned.reason, { operations, cwd: workdir, again }, context);
  const replaced = replacedSources(planned.changes);
  const unreadable = refuseUnreadable(replaced, scope.reading, host.platform);
  if (unreadable !== undefined) return refusal(unreadable, { operations, cwd: workdir, again }, context);

  const reads = secret ?? (await secretAmong(replaced, scope, context));
  const { changes, places } = planned;
  const paths = pathsOf(operations, workdir);
  const decide = decider(places, reads, review, context);
  const discards = await unsavedEditsLost(changes, places, workspace, signal);
  const requirement = await decide({ paths, discards }, scope);
  const { item, namesOnlyItem, proposal, moved, card } = presentPatch(
    changes,
    { discards, movedFiles, workdir },
    context,
  );
  const folders = await foldersAbove(changes.flatMap(writtenAnew), workspace);
  return {
    type: 'ready',
    plan: { cwd: workdir, planned, again, moved, proposal, item, readsSecret: reads !== undefined },
    requirement,
    // Before the user has agreed, the lines of a file with secrets are on the card only, and not in what is recorded.
    item: reads === undefined ? item : namesOnlyItem,
    card,
    showsSecrets: reads !== undefined,
    proposal,
    folders,
    watch: (onOutdated) => watchMoves(paths, workspace, movesSeen, onOutdated),
    reconsider: (reviewed) => {
      const left = reviewed === undefined ? changes : reviewedChanges(proposal, reviewed);
      const approved = { left, paths: reviewed === undefined ? paths : left.flatMap(pathsOfChange) };
      return reconsider(approved, { scope, places, discards, folders, movesSeen, decide }, context);
    },
    // The loss of unsaved edits and the use of a file with secrets need an approval each time.
    approvalKeys: discards.size > 0 || reads !== undefined ? [] : patchApprovalKeys([...places.values()]),
    binding: patchBinding(changes),
  };
}

interface Circumstances {
  readonly discards: ReadonlySet<string>;
  readonly movedFiles: ChangeSource['moved'];
  readonly workdir: string;
}

/** The patch as the user sees it: its item in the transcript, its card, and the hunks to choose from. */
function presentPatch(
  changes: readonly FileChange[],
  { discards, movedFiles, workdir }: Circumstances,
  { itemId, callId, settings: { cwd } }: ToolContext,
) {
  const described = describe(changes, cwd);
  const diff = diffOf(described);
  const summaries = described.map(({ summary }) => summary);
  const item = fileChangeItem(itemId, callId, summaries, diff);
  const moved = movedFiles.map(({ from, to }) => ({ from: shown(from, cwd), to: shown(to, cwd) }));
  return {
    item,
    namesOnlyItem: { ...item, diff: namesOnly(described, cwd) },
    proposal: described.map(({ change, summary, hunks }) => ({ name: summary.path, change, hunks })),
    moved,
    card: {
      kind: 'patch' as const,
      cwd: workdir,
      changes: described.map(({ change, summary }) =>
        isDiscarding(change, discards) ? { ...summary, discardsUnsaved: true } : summary,
      ),
      diff,
      ...(moved.length > 0 ? { moved } : {}),
    },
  };
}

/** The facts that a decision depends on. */
interface Asked {
  readonly paths: readonly string[];
  /** Files whose unsaved edits would be lost. */
  readonly discards: ReadonlySet<string>;
}

type Decide = (asked: Asked, scope: PatchScope) => Promise<ApprovalRequirement>;

/** Decides about changes at these places. `reads`: the reason why they show the model something of a file with secrets. */
function decider(
  places: FilePlaces,
  reads: string | undefined,
  review: ReviewSetting,
  { settings, host, workspace }: ToolContext,
): Decide {
  return async ({ paths, discards }, scope) =>
    decidePatch({
      paths,
      places,
      discards: [...discards].map((file) => shown(file, settings.cwd)),
      reads,
      approvalPolicy: settings.approvalPolicy,
      sandboxPolicy: settings.sandboxPolicy,
      writable: await writableIn(scope, paths, places, { workspace, host }),
      rootPlaces: scope.rootPlaces,
      review,
      planMode: settings.planMode,
      platform: host.platform,
    });
}

/** The facts of the request for approval. */
interface Request {
  readonly scope: PatchScope;
  readonly places: FilePlaces;
  /** Files whose unsaved edits would be lost. */
  readonly discards: ReadonlySet<string>;
  /** The folders around files that are created. */
  readonly folders: readonly string[];
  readonly movesSeen: number;
  readonly decide: Decide;
}

/**
 * Decides again, before approved changes are applied, with the files and settings as they are now. `left`: the changes that
 * the user has not left out, and `paths` those that they name. Outdated when the approval does not cover them any more.
 */
async function reconsider(
  { left, paths }: { readonly left: readonly FileChange[]; readonly paths: readonly string[] },
  { scope, places, discards, folders, movesSeen, decide }: Request,
  context: ToolContext,
): Promise<Reconsidered> {
  const { workspace, signal } = context;
  const lost = new Set(left.flatMap(pathsOfChange).filter((file) => discards.has(file)));
  const before = await decide({ paths, discards: lost }, scope);
  const created = left.flatMap(writtenAnew);
  const needed = folders.filter((folder) => created.some((file) => isBelow(file, folder)));
  const isThere =
    (await leadThere(workspace, places)) &&
    !wasMoved(paths, workspace, movesSeen) &&
    !(await isAnyGone(needed, workspace));
  const lostNow = await unsavedEditsLost(left, places, workspace, signal);
  const requirement = await decide({ paths, discards: lostNow }, await patchScope(context));
  const isAsAsked = isThere && [...lostNow].every((file) => lost.has(file)) && isSame(requirement, before);
  return { requirement, matchedRules: [], ...(isAsAsked ? {} : { isOutdated: true }) };
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

/** Absolute: the path before the change, and the one that it moves to. */
export function pathsOfChange(change: FileChange): readonly string[] {
  return change.kind === 'update' && change.movedTo !== null ? [change.path, change.movedTo] : [change.path];
}

/** Shown and recorded like every refusal, with the file names and none of their text. */
function refusal(
  reason: DecisionReason,
  { operations, cwd, again }: Pick<ChangeSource, 'operations' | 'cwd' | 'again'>,
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
    plan: { cwd, planned, again, moved: [], proposal: [], item, readsSecret: false },
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

/** Describes each change for the panel and the model, with paths relative to `cwd` where they are below it. */
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

/** One unified diff of all files. */
export function diffOf(described: readonly DescribedChange[]): string {
  return described.map(({ diff }) => diff).join('');
}

function namesOnly(described: readonly DescribedChange[], cwd: string): string {
  return described.map(({ change }) => binaryDiff(change.path, cwd)).join('');
}

/** The path relative to the working directory if it lies inside. */
export function shown(file: string, cwd: string): string {
  return pathBelow(cwd, file) || file;
}

/** The item of a patch that is in progress. `diff`: of all files. */
export function fileChangeItem(
  id: string,
  callId: string,
  changes: FileChangeSummary[],
  diff: string,
): TurnItemOf<'file_change'> {
  return { id, type: 'file_change', status: 'in_progress', callId, changes, diff };
}

function failedText(message: string): string {
  return `apply_patch verification failed: ${message}`;
}
