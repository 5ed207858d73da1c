/**
 * Undo and redo of the changes by the commands and patches of a thread: planned first, then applied all or not at all.
 */
import type { FileState, RecordedChange, RevertFile } from '../../protocol/baseline.ts';
import type { BaselineStore, Clock, KeptFolder, Restoration, RestoreResult, Workspace } from '../ports.ts';
import { pathBelow } from '../util/pathBelow.ts';
import { decodeText, encodeText } from '../util/textBytes.ts';
import type { ChangeRecords } from './changeRecords.ts';
import { type FilePlan, kindOf, planFile } from './planRevert.ts';
import type { ChangingAgent, StandingChanges } from './standingChanges.ts';

export interface RevertDeps {
  readonly store: BaselineStore;
  readonly restore: NonNullable<Workspace['restore']>;
  readonly records: ChangeRecords;
  readonly clock: Clock;
}

export interface RevertOptions {
  readonly direction: 'undo' | 'redo';
  /** Folder from which paths are shown. */
  readonly cwd: string;
  /** Includes files that another program or thread may have changed. */
  readonly includeUncertain: boolean;
  /** Shown paths of files whose later changes may be lost. */
  readonly overwrite: readonly string[];
  /** Shown paths of files that are left alone, and not named. */
  readonly exclude?: readonly string[];
}

export interface RevertPlan {
  readonly direction: RevertOptions['direction'];
  readonly turnIds: readonly string[];
  readonly newFolders: readonly string[];
  readonly goneFolders: readonly KeptFolder[];
  readonly files: readonly PlannedFile[];
  readonly agents: readonly ChangingAgent[];
}

export interface PlannedFile {
  /** For the user: shown paths. */
  readonly file: RevertFile;
  readonly change: RecordedChange;
  /** The present content of the file. */
  readonly now: FileState;
  readonly plan: FilePlan;
}

interface RevertedFiles {
  /** Paths as they are shown to the user. */
  readonly paths: readonly string[];
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

export interface Reverted extends RevertedFiles {
  /** The part of it that sub-agents have changed. */
  readonly agents: readonly (RevertedFiles & Pick<ChangingAgent, 'agentId' | 'turnIds'>)[];
}

const UNCERTAIN = 'Another program or thread may have changed it.';
const ABSENT: FileState = { type: 'absent' };
const NO_CONTENT = 'Its content is not kept any more.';

/** Plans the revert without changing anything. Rejects with the error of the disk. */
export async function planRevert(
  { turnIds, changes, newFolders, goneFolders, agents = [] }: StandingChanges,
  options: RevertOptions,
  { store }: Pick<RevertDeps, 'store'>,
): Promise<RevertPlan> {
  const now = await store.capture(changes.map(({ path }) => path));
  // A folder in the place of a file is removed before the file comes back.
  const removed = new Set(options.direction === 'undo' ? newFolders : goneFolders.map(({ path }) => path));
  const emptied = new Set([...now].flatMap(([path, state]) => (isOther(state) && removed.has(path) ? [path] : [])));
  const files: PlannedFile[] = [];
  for (const change of changes) {
    const state = emptied.has(change.path) ? ABSENT : (now.get(change.path) ?? ABSENT);
    const shown = pathBelow(options.cwd, change.path) ?? change.path;
    if (options.exclude?.includes(shown)) continue;
    const texts = async () => ({
      before: await textOf(change.before, store),
      after: await textOf(change.after, store),
      now: await textOf(state, store),
    });
    const found = await planFile(change, state, texts, options.overwrite.includes(shown));
    const plan: FilePlan =
      found.state === 'done' || (await isKept(change.before, store))
        ? found
        : { state: 'impossible', reason: NO_CONTENT };
    const reason = 'reason' in plan ? { reason: plan.reason } : {};
    const uncertain = change.by === 'uncertain' ? { uncertain: true } : {};
    const names = agents.flatMap(({ name, paths }) => (paths.has(change.path) ? [name] : []));
    const by = names.length === 0 ? {} : { agents: names };
    // For a file that is restored: the kind of the undo, not of the turn's change.
    const kind = kindOf(change.after, change.before);
    files.push({
      file: { path: shown, kind, state: plan.state, ...uncertain, ...reason, ...by },
      change,
      now: state,
      plan,
    });
  }
  return { direction: options.direction, turnIds, newFolders, goneFolders, files, agents };
}

/**
 * Applies the plan to all its files, or to none. Files with conflicts, and others that cannot be reverted, stay as they
 * are and are returned as skipped.
 */
export async function performRevert(
  plan: RevertPlan,
  options: Pick<RevertOptions, 'includeUncertain'>,
  { store, restore, records, clock }: RevertDeps,
): Promise<Reverted | Exclude<RestoreResult, { type: 'restored' }>> {
  const { direction, newFolders, goneFolders, agents } = plan;
  const { moves, skipped } = await movesOf(plan, options, store);
  const restorations: Restoration[] = [];
  const made: Move[] = [];
  for (const move of moves) {
    const to = await contentOf(move.to, store);
    if (to === undefined) {
      skipped.push({ path: move.shown, reason: NO_CONTENT });
      continue;
    }
    restorations.push({ path: move.path, from: move.from, to });
    made.push(move);
  }
  const result = await restore(
    restorations,
    direction === 'undo'
      ? { remove: newFolders, make: goneFolders }
      : { remove: goneFolders.map(({ path }) => path), make: newFolders.map((path) => ({ path })) },
  );
  if (result.type !== 'restored') return result;
  // A file that is already in its final state counts as reverted: a kill may have come before this line was written.
  const done = plan.files.filter(({ plan: { state } }) => state === 'done');
  if (made.length + done.length + newFolders.length + goneFolders.length > 0) {
    await recordRevert(plan, [...made.map(changeOf), ...done.map(unchanged)], { records, clock });
  }
  // A finished undo that no record names yet, as after a crash, counts as one.
  const reverted: readonly Shown[] =
    made.length > 0 ? made : done.map(({ file, change }) => ({ path: change.path, shown: file.path }));
  const left = new Map(plan.files.map(({ file, change }) => [file.path, change.path]));
  return {
    paths: reverted.map(({ shown }) => shown),
    skipped,
    agents: agents.map(({ agentId, turnIds: ofAgent, paths }) => ({
      agentId,
      turnIds: ofAgent,
      paths: reverted.filter(({ path }) => paths.has(path)).map(({ shown }) => shown),
      skipped: skipped.filter(({ path }) => paths.has(left.get(path) ?? '')),
    })),
  };
}

/** Appends the revert to the records of the thread, and to those of each agent whose turns it covers. */
async function recordRevert(
  { direction, turnIds, newFolders, goneFolders, agents }: RevertPlan,
  changes: RecordedChange[],
  { records, clock }: Pick<RevertDeps, 'records' | 'clock'>,
): Promise<void> {
  const at = clock.now().toISOString();
  await records.append({
    type: 'reverted',
    turnIds: [...turnIds],
    direction,
    at,
    changes,
    newFolders: [...newFolders],
    goneFolders: [...goneFolders],
    ...(agents.length === 0 ? {} : { agents: agents.map(withoutPaths) }),
  });
  for (const { agentId, turnIds: ofAgent, paths } of agents) {
    await records.of(agentId).append({
      type: 'reverted',
      turnIds: [...ofAgent],
      direction,
      at,
      changes: changes.filter(({ path }) => paths.has(path)),
      newFolders: [],
      partOf: records.threadId,
    });
  }
}

function withoutPaths({ agentId, turnIds }: ChangingAgent): { agentId: string; turnIds: string[] } {
  return { agentId, turnIds: [...turnIds] };
}

/** Returns why nothing was restored, for the user. */
export function revertFailure(result: Exclude<RestoreResult, { type: 'restored' }>): string {
  if (result.type === 'stale') {
    return `These files changed at the same moment: ${result.paths.join(', ')}. Nothing was changed.`;
  }
  const left = result.notRestored.length === 0 ? '' : ` Not restored: ${result.notRestored.join(', ')}.`;
  return `${result.message}${left}`;
}

/** A folder, or something else that is no file. */
function isOther(state: FileState): boolean {
  return state.type === 'left_out' && state.reason === 'special';
}

/** The changes that the plan would make, without conflicts. */
export async function changesOfPlan(
  plan: RevertPlan,
  options: Pick<RevertOptions, 'includeUncertain'>,
  { store }: Pick<RevertDeps, 'store'>,
): Promise<readonly RecordedChange[]> {
  return (await movesOf(plan, options, store)).moves.map(changeOf);
}

interface Shown {
  /** Absolute. */
  readonly path: string;
  readonly shown: string;
}

/** One file with its content now and its content after the revert. */
interface Move extends Shown {
  readonly from: FileState;
  readonly to: Exclude<FileState, { type: 'left_out' }>;
}

function unchanged({ change: { path }, now }: PlannedFile): RecordedChange {
  return { path, before: now, after: now, by: 'this' };
}

function changeOf({ path, from, to }: Move): RecordedChange {
  return { path, before: from, after: to, by: 'this' };
}

async function movesOf(
  { files }: RevertPlan,
  { includeUncertain }: { readonly includeUncertain: boolean },
  store: BaselineStore,
) {
  const skipped: { path: string; reason: string }[] = [];
  const moves: Move[] = [];
  for (const { file, change, now, plan } of files) {
    const { path } = change;
    switch (plan.state) {
      case 'done':
        break;
      case 'conflict':
      case 'impossible':
        skipped.push({ path: file.path, reason: plan.reason });
        break;
      case 'ready':
      case 'merged':
        if (file.uncertain && !includeUncertain) skipped.push({ path: file.path, reason: UNCERTAIN });
        else moves.push({ path, shown: file.path, from: now, to: await targetOf(plan, now, store) });
    }
  }
  return { moves, skipped };
}

async function targetOf(
  plan: Extract<FilePlan, { state: 'ready' | 'merged' }>,
  now: FileState,
  store: BaselineStore,
): Promise<Move['to']> {
  if (plan.state === 'ready') return plan.to;
  const hasMark = now.type === 'file' && (await hasByteOrderMark(now.hash, store));
  return store.keep(encodeText({ text: plan.text, hasByteOrderMark: hasMark }), plan.mode);
}

/** `undefined`: it is not kept any more. */
async function contentOf(to: Move['to'], store: BaselineStore): Promise<Restoration['to'] | undefined> {
  if (to.type === 'absent') return to;
  if (to.type === 'link') return { type: 'link', target: to.target };
  const bytes = await store.read(to.hash);
  return bytes && { type: 'file', bytes, mode: to.mode };
}

/** Resolves to true if the state can be restored; one without a content always can. */
async function isKept(state: FileState, store: BaselineStore): Promise<boolean> {
  return state.type !== 'file' || (await store.read(state.hash)) !== undefined;
}

async function hasByteOrderMark(hash: string, store: BaselineStore): Promise<boolean> {
  const bytes = await store.read(hash);
  return bytes !== undefined && decodeText(bytes)?.hasByteOrderMark === true;
}

async function textOf(state: FileState, store: BaselineStore): Promise<string | null> {
  const bytes = state.type === 'file' ? await store.read(state.hash) : undefined;
  return bytes === undefined ? null : (decodeText(bytes)?.text ?? null);
}
