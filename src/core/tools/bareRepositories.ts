/**
 * Paths of a patch that belong to a git repository without a working tree, be it there already or made by the patch. git,
 * and editors that run it, start the programs that its configuration and hooks name (gitrepository-layout(5)).
 */
import path from 'node:path';
import type { Workspace } from '../ports.ts';
import { pathBelow } from '../util/pathBelow.ts';

/** Of a repository: by the first four it is known, and the others decide what git does in it. */
const PARTS: ReadonlySet<string> = new Set(
  ['HEAD', 'objects', 'refs', 'commondir', 'config', 'config.worktree', 'hooks', 'info'].map((name) =>
    name.toLowerCase(),
  ),
);

/** Pieces may be made one by one, by patches and commands: what counts is how the folder stands after the patch. */
export async function inBareRepositories(
  roots: readonly string[],
  paths: readonly string[],
  workspace: Pick<Workspace, 'stat'>,
): Promise<readonly string[]> {
  const inFolder = new Map<string, string[]>();
  for (const file of paths) {
    for (const folder of roots.flatMap((root) => foldersOf(root, file))) {
      inFolder.set(folder, [...(inFolder.get(folder) ?? []), file]);
    }
  }
  const found = await Promise.all(
    [...inFolder].map(async ([folder, files]) => ((await isRepository(folder, files, workspace)) ? files : [])),
  );
  return [...new Set(found.flat())];
}

/** Folders on the way from the root to the file that might be repositories, by the name that follows. */
function foldersOf(root: string, file: string): string[] {
  const names = pathBelow(root, file)?.split(path.sep) ?? [];
  return names.flatMap((name, at) => (PARTS.has(name.toLowerCase()) ? [path.join(root, ...names.slice(0, at))] : []));
}

async function isRepository(
  folder: string,
  files: readonly string[],
  workspace: Pick<Workspace, 'stat'>,
): Promise<boolean> {
  const has = async (name: string): Promise<boolean> => {
    const isMade = files.some((file) => {
      const [first = ''] = pathBelow(folder, file)?.split(path.sep) ?? [];
      return first.toLowerCase() === name.toLowerCase();
    });
    return isMade || (await workspace.stat(path.join(folder, name))) !== undefined;
  };
  if (!(await has('HEAD'))) return false;
  return (await has('commondir')) || ((await has('objects')) && (await has('refs')));
}
