/** Undo and redo of what the commands and patches of a thread changed, planned first and then done whole or not at all. */
import type { ChangeRecord, FileState, RecordedChange, RevertFile } from '../../protocol/baseline.ts';
import type { BaselineStore, Clock, Restoration, RestoreResult, Workspace } from '../ports.ts';
import { pathBelow } from '../util/pathBelow.ts';
import { decodeText, encodeText } from '../util/textBytes.ts';
import type { ChangeRecords } from './changeRecords.ts';
import { type FilePlan, kindOf, planFile } from './planRevert.ts';
import type { StandingChanges } from './standingChanges.ts';

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
  /** Also files that another program or thread may have changed. */
  readonly includeUncertain: boolean;
  /** Shown paths of files whose later changes may be lost. */
  readonly overwrite: readonly string[];
}

export interface RevertPlan {
  readonly direction: RevertOptions['direction'];
  readonly turnIds: readonly string[];
  readonly newFolders: readonly string[];
  readonly files: readonly PlannedFile[];
}

export interface PlannedFile {
  /** For the user: shown paths. */
  readonly file: RevertFile;
  readonly change: RecordedChange;
  /** What the file holds now. */
  readonly now: FileState;
  readonly plan: FilePlan;
}

export interface Reverted {
  /** Shown paths. */
  readonly paths: readonly string[];
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

const UNCERTAIN = 'Another program or thread may have changed it.';
const NO_CONTENT = 'Its content is not kept any more.';

/** Looks at everything and changes nothing. Rejects with the error of the disk. */
export async function planRevert(
  { turnIds, changes, newFolders }: StandingChanges,
  options: RevertOptions,
  { store }: Pick<RevertDeps, 'store'>,
): Promise<RevertPlan> {
  const now = await store.capture(changes.map(({ path }) => path));
  const files: PlannedFile[] = [];
  for (const change of changes) {
    const state = now.get(change.path) ?? { type: 'absent' };
    const shown = pathBelow(options.cwd, change.path) ?? change.path;
    const texts = async () => ({
      before: await textOf(change.before, store),
      after: await textOf(change.after, store),
      now: await textOf(state, store),
    });
    const plan = await planFile(change, state, texts, options.overwrite.includes(shown));
    const reason = 'reason' in plan ? { reason: plan.reason } : {};
    const uncertain = change.by === 'uncertain' ? { uncertain: true } : {};
    // Of a file that comes back: what the undo does, not what the turn did.
    const kind = kindOf(change.after, change.before);
    files.push({ file: { path: shown, kind, state: plan.state, ...uncertain, ...reason }, change, now: state, plan });
  }
  return { direction: options.direction, turnIds, newFolders, files };
}

/** Whether it is left alone, and why. */
function leftAlone({ file, plan }: PlannedFile, includeUncertain: boolean): string | undefined {
  if (plan.state === 'conflict' || plan.state === 'impossible') return plan.reason;
  return file.uncertain && !includeUncertain && plan.state !== 'done' ? UNCERTAIN : undefined;
}

/** Brings the files to where the plan leads, all or none; conflicts and the like are left alone and named. */
export async function performRevert(
  { direction, turnIds, newFolders, files }: RevertPlan,
  { includeUncertain }: Pick<RevertOptions, 'includeUncertain'>,
  { store, restore, records, clock }: RevertDeps,
): Promise<Reverted | Exclude<RestoreResult, { type: 'restored' }>> {
  const skipped: { path: string; reason: string }[] = [];
  const restorations: Restoration[] = [];
  const made: { readonly planned: PlannedFile; readonly to: FileState }[] = [];
  for (const planned of files) {
    const { file, change, now, plan } = planned;
    const reason = leftAlone(planned, includeUncertain);
    if (reason !== undefined) {
      skipped.push({ path: file.path, reason });
      continue;
    }
    const to = await targetOf(plan, now, store);
    if (to === undefined) continue;
    if (to === 'lost') {
      skipped.push({ path: file.path, reason: NO_CONTENT });
      continue;
    }
    restorations.push({ path: change.path, from: now, to: to.restoration });
    made.push({ planned, to: to.state });
  }
  const result = await restore(restorations, direction === 'undo' ? newFolders : []);
  if (result.type !== 'restored') return result;
  if (made.length > 0) {
    const changes = made.map(
      ({ planned, to }): RecordedChange => ({ path: planned.change.path, before: planned.now, after: to, by: 'this' }),
    );
    const record: ChangeRecord = {
      type: 'reverted',
      turnIds: [...turnIds],
      direction,
      at: clock.now().toISOString(),
      changes,
      newFolders: [...newFolders],
    };
    await records.append(record);
  }
  return { paths: made.map(({ planned }) => planned.file.path), skipped };
}

/** `undefined`: it is there already. `lost`: its content is not kept any more. */
async function targetOf(
  plan: FilePlan,
  now: FileState,
  store: BaselineStore,
): Promise<{ readonly restoration: Restoration['to']; readonly state: FileState } | 'lost' | undefined> {
  switch (plan.state) {
    case 'ready': {
      const { to } = plan;
      if (to.type === 'absent') return { restoration: to, state: to };
      const bytes = await store.read(to.hash);
      return bytes === undefined ? 'lost' : { restoration: { type: 'file', bytes, mode: to.mode }, state: to };
    }
    case 'merged': {
      const hasMark = now.type === 'file' && (await hasByteOrderMark(now.hash, store));
      const bytes = encodeText(plan.text, hasMark);
      const state = await store.keep(bytes, plan.mode);
      return { restoration: { type: 'file', bytes, mode: plan.mode }, state };
    }
    default:
      return undefined;
  }
}

async function hasByteOrderMark(hash: string, store: BaselineStore): Promise<boolean> {
  const bytes = await store.read(hash);
  return bytes !== undefined && decodeText(bytes)?.hasByteOrderMark === true;
}

async function textOf(state: FileState, store: BaselineStore): Promise<string | null> {
  const bytes = state.type === 'file' ? await store.read(state.hash) : undefined;
  return bytes === undefined ? null : (decodeText(bytes)?.text ?? null);
}

/** Whether a plan has anything to do. */
export function isEmptyPlan({ files }: RevertPlan): boolean {
  return files.every(({ plan }) => plan.state === 'done');
}
