import path from 'node:path';
import { type Workspace, WorkspaceError } from '../../ports.ts';
import { pathBelow } from '../../util/pathBelow.ts';
import { IGNORE_FILE, type IgnoreFile, isIgnored, parseIgnoreFile } from './ignoreRules.ts';

/**
 * Yields the files below a folder that no `.gitignore` names, as paths relative to it with `/`. The ones above the folder
 * count up to the open folder around it; those that ignore the folder itself do not, because it was asked for. Follows no
 * links. Folders that cannot be read are left out.
 */
export async function* walkFiles(
  root: string,
  workspace: Pick<Workspace, 'list' | 'read' | 'roots' | 'places'>,
  signal: AbortSignal,
): AsyncIterable<string> {
  const above = (await ignoreFilesAbove(root, workspace, signal)).filter((file) => !isIgnored(root, true, [file]));
  const pending: { readonly way: string; readonly ignores: readonly IgnoreFile[] }[] = [{ way: '', ignores: above }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    signal.throwIfAborted();
    const { way } = next;
    const folder = path.join(root, way);
    const entries = await workspace.list(folder).catch(() => []);
    const hasIgnores = entries.some(({ name, type }) => name === IGNORE_FILE && type === 'file');
    const own = hasIgnores ? await ignoreFileOf(folder, workspace, signal) : [];
    const ignores = [...next.ignores, ...own];
    for (const { name, type } of entries) {
      const inner = way === '' ? name : `${way}/${name}`;
      const place = path.join(folder, name);
      if (type === 'file' && !isIgnored(place, false, ignores)) yield inner;
      if (type === 'directory' && !isIgnored(place, true, ignores)) pending.push({ way: inner, ignores });
    }
  }
}

/** Of the folders between the open folder that contains this one and itself, the outermost first. */
async function ignoreFilesAbove(
  folder: string,
  workspace: Pick<Workspace, 'read' | 'roots' | 'places'>,
  signal: AbortSignal,
): Promise<readonly IgnoreFile[]> {
  const places = [...(await workspace.places(workspace.roots)).values()];
  const ways = places.flatMap((place) => {
    const way = place instanceof WorkspaceError ? undefined : pathBelow(place.target, folder);
    return way === undefined ? [] : [way];
  });
  // The outermost open folder: rules count from there in an inner one, too.
  const names =
    ways
      .toSorted((one, other) => other.length - one.length)[0]
      ?.split(path.sep)
      .filter(Boolean) ?? [];
  const folders = names.map((_name, index) => path.join(folder, ...names.slice(index).map(() => '..')));
  return (await Promise.all(folders.map((each) => ignoreFileOf(each, workspace, signal)))).flat();
}

async function ignoreFileOf(
  folder: string,
  workspace: Pick<Workspace, 'read'>,
  signal: AbortSignal,
): Promise<readonly IgnoreFile[]> {
  const file = await workspace.read(path.join(folder, IGNORE_FILE), signal).catch(() => undefined);
  signal.throwIfAborted();
  return file === undefined ? [] : [parseIgnoreFile(folder, file.text)];
}
