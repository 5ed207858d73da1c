/**
 * Finds the paths of a patch that belong to a git repository without a working tree, whether it exists already or the
 * patch creates it. git, and editors that run it, start the programs that its configuration and hooks name
 * (gitrepository-layout(5)).
 */
import path from 'node:path';
import type { Workspace } from '../ports.ts';
import { pathBelow } from '../util/pathBelow.ts';

/**
 * Entries of a repository folder, in lower case. git recognizes a repository by the first four; the others control its
 * behaviour.
 */
const PARTS: ReadonlySet<string> = new Set([
  'head',
  'objects',
  'refs',
  'commondir',
  'config',
  'config.worktree',
  'hooks',
  'info',
]);

/**
 * Returns those of `paths` that lie in such a repository. Several patches and commands may create its entries one by
 * one, so the state of the folder after the patch decides.
 */
export async function inBareRepositories(
  roots: readonly string[],
  paths: readonly string[],
  workspace: Pick<Workspace, 'stat'>,
): Promise<readonly string[]> {
  const inFolder = new Map<string, string[]>();
  for (const file of paths) {
    for (const folder of roots.flatMap((root) => foldersOf(root, file))) {
      const files = inFolder.get(folder) ?? [];
      inFolder.set(folder, files);
      files.push(file);
    }
  }
  const found = await Promise.all(
    [...inFolder].map(async ([folder, files]) => ((await isRepository(folder, files, workspace)) ? files : [])),
  );
  return [...new Set(found.flat())];
}

/** Folders between the root and the file that might be repositories: the next name in the path is one of `PARTS`. */
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
