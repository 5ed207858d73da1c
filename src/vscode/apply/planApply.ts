/** Turns changes of text into steps: reads everything, changes nothing (workspace-edits.md, algorithm part A). */
import { applyHunks, rebaseHunks } from '../../core/patch/hunkAlgebra.ts';
import {
  isRespelled,
  ApplyRefused,
  type PlacedChange,
  PlaceMoved,
  refuseTwins,
  writtenPlaces,
} from '../../core/patch/placedChange.ts';
import { obstacleAt } from '../workspace/documentKinds.ts';
import { pathOf } from '../workspace/places.ts';
import { sameBytes } from '../workspace/textContent.ts';
import { findFile, mustBeRemovable, mustBeWritable, underItsOwnName } from './findFile.ts';
import { StaleFiles, type FoundFile, type ApplyChange, type ApplyDeps, type PlannedChange } from './model.ts';
import type { PlaceFiles } from './placeFiles.ts';
import { deleteStep, moveSteps, putText, type Surroundings } from './planSteps.ts';

/** Maximum closed files that are edited through buffers; above it, writing the files is ten times as fast (§3). */
const MOST_CLOSED_EDITS = 200;

/** Every lookup reads a whole file. */
const LOOKS_AT_ONCE = 32;

/** @throws ApplyRefused, StaleFiles */
export async function planApply(
  placed: readonly PlacedChange<ApplyChange>[],
  files: PlaceFiles,
  { pathWrites, staysUnsaved = false }: Pick<ApplyDeps, 'pathWrites' | 'staysUnsaved'>,
): Promise<readonly PlannedChange[]> {
  const around: Surroundings = {
    removed: new Set(placed.flatMap(({ removes }) => removes ?? [])),
    written: writtenPlaces(placed),
    manyFiles: placed.length > MOST_CLOSED_EDITS,
    files,
    pathWrites,
    staysUnsaved,
  };
  const planned: PlannedChange[] = [];
  const moved: string[] = [];
  for (let start = 0; start < placed.length; start += LOOKS_AT_ONCE) {
    const batch = placed.slice(start, start + LOOKS_AT_ONCE).map(async (change) => planChange(change, around));
    for (const result of await Promise.allSettled(batch)) {
      if (result.status === 'fulfilled') planned.push(result.value);
      else if (result.reason instanceof StaleFiles) moved.push(...result.reason.paths);
      else if (result.reason instanceof PlaceMoved) moved.push(result.reason.place);
      else throw result.reason;
    }
  }
  if (moved.length > 0) throw new StaleFiles([...new Set(moved)]);
  refuseTwins(
    planned.map(({ source }) => source),
    ({ disk }) => disk?.identity,
  );
  return planned;
}

async function planChange(placed: PlacedChange<ApplyChange>, around: Surroundings): Promise<PlannedChange> {
  const { change, writes, removes } = placed;
  const { files } = around;
  const source = mustBeNoLink(await found(placed.source, change, files), change);
  switch (change.kind) {
    case 'add': {
      if (!around.removed.has(source.path)) mustBeReplaceable(source, change);
      if (source.exists) refuseUnsaved(source, change);
      await mustBeWritable(source, files);
      const steps = await putText(change, { file: source, text: change.text, replaces: true }, around);
      return { change, steps, source: unless(around.removed, source), destination: undefined };
    }
    case 'delete': {
      // A deletion removes a link, not its target.
      const link = await nameOf(removes, { change, source }, files);
      if (!isAsDeleted(source.exists ? source : link, change.before)) throw new StaleFiles([change.path]);
      refuseUnsaved(source, change);
      mustBeRemovable(link, files);
      return { change, steps: [deleteStep(link)], source: link, destination: undefined };
    }
    case 'update': {
      if (!fits(source, change)) throw new StaleFiles([change.path]);
      if (writes === undefined || removes === undefined) {
        await mustBeWritable(source, files);
        const steps = await putText(change, { file: source, text: change.after, replaces: false }, around);
        return { change, steps, source, destination: undefined };
      }
      refuseUnsaved(source, change);
      const respelled = isRespelled(writes, source.path) ? source : undefined;
      const over = mustBeNoLink(await underItsOwnName(await found(writes, change, files, respelled), files), change);
      const name = change.movedTo ?? change.path;
      if (!around.removed.has(writes)) mustHold(over, change.movedOver, name);
      if (over.exists) refuseUnsaved(over, { ...change, path: name });
      await mustBeWritable(over, files);
      const from = await underItsOwnName(source, files);
      const link = removes === source.path ? from : await nameOf(removes, { change, source }, files);
      mustBeRemovable(link, files);
      const steps = await moveSteps(change, { source: from, link, over }, around);
      return { change, steps, source: link, destination: unless(around.removed, over) };
    }
  }
}

/** `respelled`: on a case-insensitive disk a new spelling is the same file, so the move replaces no file. */
async function found(path: string, change: ApplyChange, files: PlaceFiles, respelled?: FoundFile): Promise<FoundFile> {
  const file = await findFile(path, files);
  const isItself = respelled?.disk !== undefined && respelled.disk.stamp === file.disk?.stamp;
  if (isItself) return { ...file, exists: false, content: undefined, disk: undefined };
  const obstacle = obstacleAt(file.uri);
  // A read-only file may be deleted if its folder is writable; the read-only settings still apply.
  if (obstacle !== undefined) throw new ApplyRefused(obstacle);
  if (file.uri.scheme === 'untitled' && change.kind !== 'update') {
    throw new ApplyRefused(`${path} is open as a new document that was never saved; the user has to save or close it.`);
  }
  return file;
}

/** The name that is removed: for a link the link itself, with its target's text. */
async function nameOf(
  removes: string | undefined,
  { change, source }: { change: ApplyChange; source: FoundFile },
  files: PlaceFiles,
): Promise<FoundFile> {
  if (removes === undefined || removes === source.path) return underItsOwnName(source, files);
  const link = await underItsOwnName(await found(removes, change, files), files);
  return { ...link, content: source.content };
}

/** Links were followed when the place was resolved: a link there now was created later. */
function mustBeNoLink(file: FoundFile, { path }: ApplyChange): FoundFile {
  if (file.disk?.linkTarget !== undefined) throw new StaleFiles([path]);
  return file;
}

/** A file that the same patch removes does not count as replaced. */
function unless(removed: ReadonlySet<string>, file: FoundFile): FoundFile {
  return removed.has(file.path) ? { ...file, exists: false } : file;
}

/** @throws StaleFiles unless the file to be replaced has the content that the plan has read */
function mustHold(file: FoundFile, before: string | null, name: string): void {
  if (file.exists && file.content === undefined) {
    throw new ApplyRefused(`${name} exists and is not text; delete it first to replace it.`);
  }
  if ((file.content?.text ?? null) !== before) throw new StaleFiles([name]);
}

/** @throws StaleFiles, ApplyRefused */
function mustBeReplaceable(
  source: FoundFile,
  { path, before, overBytes }: Extract<ApplyChange, { kind: 'add' }>,
): void {
  if (overBytes === undefined || source.content !== undefined) return mustHold(source, before, path);
  if (source.disk === undefined || !sameBytes(source.disk.bytes, overBytes)) throw new StaleFiles([path]);
}

/** A file that is not text is deleted without a comparison. */
function isAsDeleted(file: FoundFile, before: string | null): boolean {
  return file.exists && (file.content?.text ?? null) === before;
}

/**
 * Returns true if an update is for this text. In a dirty buffer it may also be for an earlier text, as long as the user
 * has edited other lines: otherwise no patch could be applied while the user keeps typing.
 */
function fits({ content, isDirty }: FoundFile, change: Extract<ApplyChange, { kind: 'update' }>): boolean {
  if (content === undefined) return false;
  if (content.text === change.before) return true;
  const staysInPlace = change.movedTo === null && applyHunks(change.before, change.hunks) === change.after;
  return isDirty && staysInPlace && rebaseHunks(change.hunks, change.before, content.text) !== undefined;
}

/** @throws ApplyRefused for a file whose unsaved edits would go: they belong to the user (docs/design.md decision 5) */
function refuseUnsaved(file: FoundFile, change: ApplyChange): void {
  const isNamed = pathOf(file.uri) === file.path;
  if (!file.isDirty || (change.discardsUnsaved && isNamed)) return;
  const verbs = { add: 'overwritten', delete: 'deleted', update: 'moved' };
  throw new ApplyRefused(
    `${change.path} has unsaved edits of the user in the editor; it is not ${verbs[change.kind]} unless the user agrees ` +
      'to that for this file.',
  );
}
