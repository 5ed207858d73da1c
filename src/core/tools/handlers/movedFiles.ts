/** A pending patch follows files that the user moves, and notices that a folder it writes into is gone. */
import path from 'node:path';
import type { PatchOperation } from '../../patch/operation.ts';
import type { Workspace } from '../../ports.ts';
import type { Disposable } from '../../util/disposable.ts';
import type { FileMove } from '../../util/moveLog.ts';
import { isBelow, pathBelow } from '../../util/pathBelow.ts';
import type { ToolContext } from '../handler.ts';

/** The operations on the files where they are now, and the moves that this follows, as absolute paths. */
export interface Followed {
  readonly operations: readonly PatchOperation[];
  readonly moved: readonly FileMove[];
}

/** Follows the moves since the model made the call; earlier ones are the model's to know. */
export function followMoves(
  operations: readonly PatchOperation[],
  workdir: string,
  { workspace, movesBefore }: Pick<ToolContext, 'workspace' | 'movesBefore'>,
): Followed {
  const moves = movesBefore === undefined ? [] : (workspace.moves?.since(movesBefore) ?? []);
  if (moves.length === 0) return { operations, moved: [] };
  const moved = new Map<string, string>();
  const placed = (written: string): string => {
    const from = path.resolve(workdir, written);
    const to = afterMoves(from, moves);
    if (to === from) return written;
    moved.set(from, to);
    return pathBelow(workdir, to) ?? to;
  };
  const followed = operations.map((operation): PatchOperation => {
    const at = { ...operation, path: placed(operation.path) };
    return at.type === 'update' && at.movedTo !== null ? { ...at, movedTo: placed(at.movedTo) } : at;
  });
  return { operations: followed, moved: [...moved].map(([from, to]) => ({ from, to })) };
}

function afterMoves(file: string, moves: readonly FileMove[]): string {
  return moves.reduce((at, { from, to }) => {
    const way = pathBelow(from, at);
    return way === undefined ? at : path.join(to, way);
  }, file);
}

/** Returns true if one of the files, or a folder above it, was moved after the first `count` moves. */
export function wasMoved(files: readonly string[], workspace: Pick<Workspace, 'moves'>, count: number): boolean {
  return workspace.moves?.since(count).some((move) => concerns(move, files)) ?? false;
}

/** Calls when one of the files, or a folder above it, is moved, or was after the first `count` moves. */
export function watchMoves(
  files: readonly string[],
  workspace: Pick<Workspace, 'moves'>,
  count: number,
  onMoved: () => void,
): Disposable {
  if (wasMoved(files, workspace, count)) onMoved();
  return workspace.moves?.onMove((move) => concerns(move, files) && onMoved()) ?? { dispose: () => {} };
}

function concerns({ from }: FileMove, files: readonly string[]): boolean {
  return files.some((file) => isBelow(file, from));
}

/** The nearest existing folder above each file. */
export async function foldersAbove(
  files: readonly string[],
  workspace: Pick<Workspace, 'stat'>,
): Promise<readonly string[]> {
  const nearest = async (file: string): Promise<string> => {
    const folder = path.dirname(file);
    return folder === file || (await isThere(folder, workspace)) ? folder : nearest(folder);
  };
  return [...new Set(await Promise.all(files.map(nearest)))];
}

/** Resolves to true if one of the folders does not exist any more. */
export async function isAnyGone(folders: readonly string[], workspace: Pick<Workspace, 'stat'>): Promise<boolean> {
  return (await Promise.all(folders.map((folder) => isThere(folder, workspace)))).includes(false);
}

/** A folder that cannot be inspected counts as existing. */
function isThere(folder: string, workspace: Pick<Workspace, 'stat'>): Promise<boolean> {
  return workspace.stat(folder).then(
    (found) => found !== undefined,
    () => true,
  );
}
