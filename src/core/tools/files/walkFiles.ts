import path from 'node:path';
import { type Workspace, WorkspaceError } from '../../ports.ts';
import { IGNORE_FILE, IgnoreRules } from '../../util/ignoreRules.ts';
import { pathBelow } from '../../util/pathBelow.ts';

/**
 * Yields the files below a folder that no `.gitignore` names, as paths relative to it with `/`. The ignore files above
 * the folder apply, too, up to the open folder around it; their rules about the folder itself do not, because the
 * caller asked for it. Follows no links. Folders that cannot be read are left out.
 */
export async function* walkFiles(
  root: string,
  workspace: Pick<Workspace, 'list' | 'read' | 'roots' | 'places'>,
  signal: AbortSignal,
): AsyncIterable<string> {
  const above = await rulesAbove(root, workspace, signal);
  const pending: { readonly way: string; readonly parent: IgnoreRules }[] = [{ way: '', parent: above }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    signal.throwIfAborted();
    const { way, parent } = next;
    const folder = path.join(root, way);
    const entries = await workspace.list(folder).catch(() => []);
    const hasIgnores = entries.some(({ name, type }) => name === IGNORE_FILE && type === 'file');
    const text = hasIgnores ? await ignoreTextOf(folder, workspace, signal) : '';
    const rules = text === '' ? parent : new IgnoreRules(parent, folder, text);
    for (const { name, type } of entries) {
      const inner = way === '' ? name : `${way}/${name}`;
      const place = path.join(folder, name);
      if (type === 'file' && !rules.ignores(place, type)) yield inner;
      if (type === 'directory' && !rules.ignores(place, type)) pending.push({ way: inner, parent: rules });
    }
  }
}

/**
 * A filter of the files that `walkFiles` would yield, for files below `root` that were found in another way: true for a
 * file that no `.gitignore` names. Absolute paths.
 */
export async function ignoreFilter(
  root: string,
  workspace: Pick<Workspace, 'read' | 'roots' | 'places'>,
  signal: AbortSignal,
): Promise<(file: string) => Promise<boolean>> {
  const above = await rulesAbove(root, workspace, signal);
  /** `undefined` for a folder that is ignored itself. */
  const known = new Map<string, Promise<IgnoreRules | undefined>>();
  const rulesIn = (folder: string): Promise<IgnoreRules | undefined> => {
    const found = known.get(folder) ?? readRules(folder);
    known.set(folder, found);
    return found;
  };
  const readRules = async (folder: string): Promise<IgnoreRules | undefined> => {
    const parent = folder === root ? above : await rulesIn(path.dirname(folder));
    if (parent === undefined || (folder !== root && parent.ignores(folder, 'directory'))) return undefined;
    const text = await ignoreTextOf(folder, workspace, signal);
    return text === '' ? parent : new IgnoreRules(parent, folder, text);
  };
  return async (file) => {
    const rules = pathBelow(root, file) === undefined ? undefined : await rulesIn(path.dirname(file));
    return rules !== undefined && !rules.ignores(file, 'file');
  };
}

/** Rules that ignore the folder itself do not count, because it was requested. */
async function rulesAbove(
  root: string,
  workspace: Pick<Workspace, 'read' | 'roots' | 'places'>,
  signal: AbortSignal,
): Promise<IgnoreRules> {
  let above = new IgnoreRules(undefined, root, '');
  for (const { folder, text } of await ignoreTextsAbove(root, workspace, signal)) {
    if (!new IgnoreRules(undefined, folder, text).ignores(root, 'directory'))
      above = new IgnoreRules(above, folder, text);
  }
  return above;
}

/**
 * Returns the texts of the ignore files in the folders from the open folder down to the parent of this one, the
 * outermost first.
 */
async function ignoreTextsAbove(
  folder: string,
  workspace: Pick<Workspace, 'read' | 'roots' | 'places'>,
  signal: AbortSignal,
): Promise<readonly { readonly folder: string; readonly text: string }[]> {
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
  return Promise.all(
    folders.map(async (each) => ({ folder: each, text: await ignoreTextOf(each, workspace, signal) })),
  );
}

/** '' where it cannot be read. */
async function ignoreTextOf(folder: string, workspace: Pick<Workspace, 'read'>, signal: AbortSignal): Promise<string> {
  const file = await workspace.read(path.join(folder, IGNORE_FILE), signal).catch(() => undefined);
  signal.throwIfAborted();
  return file?.text ?? '';
}
