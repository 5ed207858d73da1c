import path from 'node:path';
import type { Workspace } from '../../ports.ts';
import { type IgnoreFile, isIgnored, parseIgnoreFile } from './ignoreRules.ts';

/**
 * Yields the files below a folder that no `.gitignore` below it names, as paths relative to it with `/`. Follows no links.
 * Folders that cannot be read are left out.
 */
export async function* walkFiles(
  root: string,
  workspace: Pick<Workspace, 'list' | 'read'>,
  signal: AbortSignal,
): AsyncIterable<string> {
  const pending: { readonly way: string; readonly ignores: readonly IgnoreFile[] }[] = [{ way: '', ignores: [] }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    signal.throwIfAborted();
    const { way } = next;
    const folder = path.join(root, way);
    const entries = await workspace.list(folder).catch(() => []);
    const hasIgnores = entries.some(({ name, type }) => name === '.gitignore' && type === 'file');
    const own = hasIgnores
      ? await workspace.read(path.join(folder, '.gitignore'), signal).catch(() => undefined)
      : undefined;
    signal.throwIfAborted();
    const ignores = own === undefined ? next.ignores : [...next.ignores, parseIgnoreFile(way, own.text)];
    for (const { name, type } of entries) {
      const inner = way === '' ? name : `${way}/${name}`;
      if (type === 'file' && !isIgnored(inner, false, ignores)) yield inner;
      if (type === 'directory' && !isIgnored(inner, true, ignores)) pending.push({ way: inner, ignores });
    }
  }
}
