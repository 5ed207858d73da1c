/** Adds the current places of their paths to changes, as a plan would resolve them. */
import { decidedChanges } from '../../src/core/patch/placedChange.ts';
import { type DecidedChange, type FileChange, WorkspaceError, type Workspace } from '../../src/core/ports.ts';

export async function decided(
  workspace: Pick<Workspace, 'places'>,
  changes: readonly FileChange[],
): Promise<readonly DecidedChange[]> {
  const paths = changes.flatMap((change) =>
    change.kind === 'update' && change.movedTo !== null ? [change.path, change.movedTo] : [change.path],
  );
  const places = await workspace.places(paths);
  const known = [...places].map(([path, place]) => {
    if (place instanceof WorkspaceError) throw place;
    return [path, place] as const;
  });
  return decidedChanges(changes, new Map(known));
}

/** Returns the change with its places on a disk without links. */
export function decidedHere<Change extends FileChange>(change: Change): Change & Pick<DecidedChange, 'places'> {
  const place = (path: string) => ({ name: path, target: path });
  const movedTo = change.kind === 'update' && change.movedTo !== null ? place(change.movedTo) : null;
  return { ...change, places: { path: place(change.path), movedTo } };
}
