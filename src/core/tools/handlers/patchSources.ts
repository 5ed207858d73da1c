/** Checks the files that a patch reads or whose existence it reveals against the paths that may not be read. */
import path from 'node:path';
import type { DecisionReason } from '../../../protocol/policy.ts';
import type { FileOperation } from '../../patch/operation.ts';
import { type PatchSource, refuseUnreadable, unreadableAmong, unreadableIn } from '../../policy/unreadableSource.ts';
import { type DecidedChange, type Workspace, WorkspaceError } from '../../ports.ts';
import { linkedSecrets, mayNotBeRead, type ReadGuard, readLimitsOf } from '../files/readGuard.ts';
import type { ToolContext } from '../handler.ts';
import type { LookedUpPlaces } from '../planPatchIn.ts';
import type { PatchScope } from './patchScope.ts';

/** Call before any of the files is read. A new file reads nothing. */
export async function refuseSources(
  operations: readonly FileOperation[],
  workdir: string,
  places: LookedUpPlaces,
  { reading }: PatchScope,
  { workspace, host }: ToolContext,
): Promise<{ readonly type: 'refused'; readonly reason: DecisionReason } | undefined> {
  for (const source of unreadableAmong(sourcesOf(operations, workdir, places), reading, host.platform)) {
    if (!source.isRead && !(await isTaken(source.place.target, workspace))) continue;
    const reason = refuseUnreadable([source], reading, host.platform);
    if (reason !== undefined) return { type: 'refused', reason };
  }
  return undefined;
}

/** The files that operations name, with whether their text is read: that of a new file is not. */
function sourcesOf(
  operations: readonly FileOperation[],
  workdir: string,
  places: LookedUpPlaces,
): readonly (PatchSource & { readonly isRead: boolean })[] {
  const needed = operations.flatMap((operation) => {
    const target = operation.type === 'update' ? operation.movedTo : null;
    const first = { written: operation.path, isRead: operation.type !== 'add' };
    return target === null ? [first] : [first, { written: target, isRead: false }];
  });
  return needed.flatMap(({ written, isRead }) => {
    const file = path.resolve(workdir, written);
    const place = places.get(file);
    return place === undefined || place instanceof WorkspaceError ? [] : [{ path: file, place, isRead }];
  });
}

/** Returns the first file, of those that operations read, that a glob makes unreadable: a clause with its path. */
export function readsSecret(
  operations: readonly FileOperation[],
  workdir: string,
  places: LookedUpPlaces,
  scope: PatchScope,
  context: ToolContext,
): Promise<string | undefined> {
  const read = sourcesOf(operations, workdir, places).filter(({ isRead }) => isRead);
  return secretAmong(read, scope, context);
}

/** The same for these files. One that another name (a hard link) makes unreadable counts, too. */
export async function secretAmong(
  sources: readonly PatchSource[],
  { globFor, reading }: PatchScope,
  context: ToolContext,
): Promise<string | undefined> {
  for (const { path: file, place } of sources) {
    for (const name of [file, place.name, place.target]) {
      const glob = globFor(name);
      if (glob !== undefined) return mayNotBeRead(name, glob);
    }
  }
  const isUnreadable = unreadableIn(reading, context.host.platform);
  const whyHidden = ([name = '']: readonly string[]) => {
    const glob = globFor(name);
    return glob !== undefined || isUnreadable(name) ? mayNotBeRead(name, glob) : undefined;
  };
  const guard: ReadGuard = Object.assign(whyHidden, { key: JSON.stringify([context.thread.unreadable, reading]) });
  const targets = sources.map(({ place }) => place.target);
  const [linked] = (await linkedSecrets(targets, guard, readLimitsOf(context), context)).values();
  return linked;
}

/** A file that cannot be inspected counts as existing. */
function isTaken(place: string, workspace: Workspace): Promise<boolean> {
  return workspace.stat(place).then(
    (found) => found !== undefined,
    () => true,
  );
}

/** Files that a plan would overwrite, which may have been created after the first check. */
export function replacedSources(changes: readonly DecidedChange[]): readonly PatchSource[] {
  return changes.flatMap((change) => {
    const { path: place, movedTo } = change.places;
    if (change.kind === 'add') return change.before === null ? [] : [{ path: change.path, place }];
    if (change.kind === 'delete' || movedTo === null || change.movedTo === null) return [];
    return change.movedOver === null ? [] : [{ path: change.movedTo, place: movedTo }];
  });
}
