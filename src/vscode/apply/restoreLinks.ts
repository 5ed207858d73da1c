/**
 * Symbolic links brought back to recorded states. VS Code has no edit for a link, so they are changed on the disk, before
 * the files and folders of the same undo.
 */
import { dirname, join } from 'node:path';
import { contentHash } from '../../core/baseline/contentHash.ts';
import type { Restoration } from '../../core/ports.ts';
import type { FileState } from '../../protocol/baseline.ts';
import type { PlaceFiles } from './placeFiles.ts';

/** One content of a path on the disk. */
type Content = Restoration['to'];

export type LinksResult =
  /** `rollBack` never rejects. */
  | { readonly type: 'restored'; readonly rollBack: () => Promise<void> }
  /** These paths have other contents by now. Nothing was changed. */
  | { readonly type: 'stale'; readonly paths: readonly string[] };

/** True if it removes or makes a link. */
export function isOfLink({ from, to }: Restoration): boolean {
  return from.type === 'link' || to.type === 'link';
}

/** Changes all of them or none. Rejects with the error of the system. */
export async function restoreLinks(links: readonly Restoration[], files: PlaceFiles): Promise<LinksResult> {
  const found = await Promise.all(
    links.map(async ({ path, from }) => ({ path, content: await read(path, from, files) })),
  );
  const stale = found.flatMap(({ path, content }) => (content === undefined ? [path] : []));
  if (stale.length > 0) return { type: 'stale', paths: stale };
  const done: { readonly path: string; readonly content: Content }[] = [];
  const rollBack = async () => {
    for (const { path, content } of done.toReversed()) await put(path, content, files).catch(() => {});
  };
  try {
    for (const [index, { path, to }] of links.entries()) {
      const before = found[index]?.content;
      if (before !== undefined) done.push({ path, content: before });
      await put(path, to, files);
    }
  } catch (error) {
    await rollBack();
    throw error;
  }
  return { type: 'restored', rollBack };
}

/** Returns the content of a path, a link not followed; `undefined` if its state is another one. */
async function read(path: string, state: FileState, files: PlaceFiles): Promise<Content | undefined> {
  const details = await files.details(path);
  switch (state.type) {
    case 'absent':
      return details === undefined ? state : undefined;
    case 'link':
      return details?.linkTarget === state.target ? { type: 'link', target: state.target } : undefined;
    case 'file': {
      if (details === undefined || details.linkTarget !== undefined) return undefined;
      const bytes = await files.read(path);
      const { mode = state.mode } = details;
      return mode === state.mode && contentHash(bytes) === state.hash ? { type: 'file', bytes, mode } : undefined;
    }
    case 'left_out':
      return undefined;
  }
}

let temporaries = 0;

/** The path always has one of its contents, also on a full disk. */
async function put(path: string, content: Content, files: PlaceFiles): Promise<void> {
  if (content.type === 'absent') return files.remove(path);
  await files.makeFolders(await files.missingFolders(path));
  const temporary = join(dirname(path), `.tiller-undo-${process.pid}-${temporaries++}.tmp`);
  try {
    if (content.type === 'link') files.makeLink(temporary, content.target);
    else await files.write(temporary, content.bytes, content.mode);
    await files.rename(temporary, path, { overwrite: true });
  } catch (error) {
    await files.remove(temporary).catch(() => {});
    throw error;
  }
}
