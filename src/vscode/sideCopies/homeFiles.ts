/** The changes of a side copy with the present content of the workspace, unsaved text included. */
import { contentHash } from '../../core/baseline/contentHash.ts';
import { ApplyRefused, PlaceMoved } from '../../core/patch/placedChange.ts';
import { type Workspace, WorkspaceError } from '../../core/ports.ts';
import type { CopyContent, CopyFile } from '../../core/sideCopies/planBringHome.ts';
import type { BaseFile, CopyChange, CopyState, SideCopy, SideCopyStore } from '../../core/sideCopies/sideCopy.ts';
import { pathBelow } from '../../core/util/pathBelow.ts';
import { findFile } from '../apply/findFile.ts';
import type { ApplyDeps, FoundFile } from '../apply/model.ts';
import { PlaceFiles } from '../apply/placeFiles.ts';
import { contentBytes, type TextContent, textContent } from '../workspace/textContent.ts';
import path from 'node:path';

/** Maximum bytes of a text that is merged; a longer file is taken or left as a whole. */
const MAX_MERGED_BYTES = 1024 * 1024;
const LOOKS_AT_ONCE = 32;

export interface HomeDeps {
  readonly store: Pick<SideCopyStore, 'baseContent' | 'content'>;
  readonly workspace: Pick<Workspace, 'places'>;
  readonly holdFolders: ApplyDeps['holdFolders'];
}

export interface HomeFile extends CopyFile {
  readonly change: CopyChange;
  /** `undefined` where it cannot be brought home: it is reached by a link, or is a folder. */
  readonly found: FoundFile | undefined;
  /** The content in the copy, where it is text. */
  readonly resultContent: TextContent | undefined;
}

/** Rejects with the signal's reason. */
export async function homeFiles(
  copy: SideCopy,
  changes: readonly CopyChange[],
  deps: HomeDeps,
  signal: AbortSignal,
): Promise<readonly HomeFile[]> {
  const places = await deps.workspace.places(changes.map(({ home }) => home));
  const files = new PlaceFiles(deps.holdFolders());
  const found: HomeFile[] = [];
  try {
    for (let start = 0; start < changes.length; start += LOOKS_AT_ONCE) {
      signal.throwIfAborted();
      const some = changes.slice(start, start + LOOKS_AT_ONCE);
      found.push(...(await Promise.all(some.map((change) => homeFile(copy, change, { ...deps, places, files })))));
    }
  } finally {
    files.dispose();
  }
  return found;
}

async function homeFile(
  copy: SideCopy,
  change: CopyChange,
  deps: HomeDeps & { readonly places: Awaited<ReturnType<Workspace['places']>>; readonly files: PlaceFiles },
): Promise<HomeFile> {
  const place = deps.places.get(change.home);
  const isThere = place !== undefined && !(place instanceof WorkspaceError) && place.name === place.target;
  const found = isThere ? await findFile(place.target, deps.files).catch(undefinedWhereRefused) : undefined;
  const uri = found?.uri;
  const decode = async (bytes: Uint8Array | undefined) =>
    bytes && uri && bytes.length <= MAX_MERGED_BYTES ? textContent(uri, bytes).catch(() => undefined) : undefined;
  const resultContent = await decode(await deps.store.content(change.copy, MAX_MERGED_BYTES));
  const baseContent = await decode(await deps.store.baseContent(copy.id, change.base));
  return {
    name: nameOf(copy, change.home),
    path: change.home,
    base: contentOfBase(change.base, baseContent),
    home: await contentOfHome(found),
    result: contentOfResult(change.result, resultContent),
    change,
    found,
    resultContent,
  };
}

function undefinedWhereRefused(error: unknown): undefined {
  if (error instanceof ApplyRefused || error instanceof PlaceMoved) return undefined;
  throw error;
}

/** Returns the name that the user knows: with the name of its folder if the workspace has several folders. */
function nameOf({ folders }: SideCopy, home: string): string {
  for (const folder of folders) {
    const below = pathBelow(folder.home, home);
    if (below !== undefined) return folders.length > 1 ? path.join(path.basename(folder.copy), below) : below;
  }
  return home;
}

function contentOfBase(base: BaseFile | undefined, content: TextContent | undefined): CopyContent {
  if (base === undefined) return { type: 'absent' };
  if (base.type === 'link') return { type: 'other' };
  return { type: 'file', hash: base.hash, mode: base.mode, text: content?.text ?? null };
}

function contentOfResult(result: CopyState, content: TextContent | undefined): CopyContent {
  return result.type === 'file' ? { ...result, text: content?.text ?? null } : result;
}

async function contentOfHome(found: FoundFile | undefined): Promise<CopyContent> {
  if (found === undefined || found.disk?.linkTarget !== undefined) return { type: 'other' };
  if (!found.exists) return { type: 'absent' };
  const bytes = await bytesOf(found);
  if (bytes === undefined) return { type: 'other' };
  return {
    type: 'file',
    hash: contentHash(bytes),
    mode: (found.disk?.mode ?? 0o644) & 0o777,
    text: found.content?.text ?? null,
  };
}

/** Resolves to the bytes that saving it would write. */
async function bytesOf({ isDirty, content, disk }: FoundFile): Promise<Uint8Array | undefined> {
  if (!isDirty || content === undefined) return disk?.bytes;
  return contentBytes(content).catch(() => undefined);
}
