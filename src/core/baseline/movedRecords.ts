/** The records of a thread whose workspace has moved since. */
import path from 'node:path';
import type { ChangeRecord, RecordedChange } from '../../protocol/baseline.ts';
import type { Workspace } from '../ports.ts';
import { pathBelow } from '../util/pathBelow.ts';

/** Files that are looked for in the present folder before it counts as another one. */
const MAX_LOOKED_FOR = 50;

/**
 * Returns the records with the paths of `cwd`, the folder in which the thread goes on. `former`: the folders in which
 * it worked before. One of them counts as moved to `cwd` if it is gone and `cwd` has a file that its records name.
 */
export async function movedRecords(
  records: readonly ChangeRecord[],
  former: readonly string[],
  cwd: string,
  workspace: Pick<Workspace, 'stat' | 'realPath'>,
): Promise<readonly ChangeRecord[]> {
  const exists = async (place: string) => (await workspace.stat(place).catch(() => undefined)) !== undefined;
  const to = await workspace.realPath(cwd).catch(() => cwd);
  let now = records;
  for (const from of former) {
    if (from === cwd || (await exists(from))) continue;
    const moved = now.map((record) => withPaths(record, (place) => movedPath(place, from, to)));
    const places = moved.flatMap((record, index) =>
      changesIn(record).flatMap((change, at) => (change.path === changesIn(now[index])[at]?.path ? [] : [change.path])),
    );
    for (const place of [...new Set(places)].slice(-MAX_LOOKED_FOR)) {
      if (!(await exists(place))) continue;
      now = moved;
      break;
    }
  }
  return now;
}

function movedPath(place: string, from: string, to: string): string {
  const below = pathBelow(from, place);
  return below === undefined ? place : path.join(to, below);
}

function changesIn(record: ChangeRecord | undefined): readonly RecordedChange[] {
  return record === undefined || record.type === 'agent_turn' ? [] : record.changes;
}

function withPaths(record: ChangeRecord, pathOf: (place: string) => string): ChangeRecord {
  if (record.type === 'agent_turn') return record;
  return {
    ...record,
    changes: record.changes.map((change) => ({ ...change, path: pathOf(change.path) })),
    newFolders: record.newFolders.map(pathOf),
    ...(record.goneFolders && {
      goneFolders: record.goneFolders.map((folder) => ({ ...folder, path: pathOf(folder.path) })),
    }),
  };
}
