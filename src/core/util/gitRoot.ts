import path from 'node:path';

/** A part of the Workspace port. */
interface Reader {
  stat(path: string): Promise<{ readonly type: string } | undefined>;
  readBytes(path: string, options: { maxBytes: number }): Promise<Uint8Array>;
}

/** A pointer is one line; a longer file is none. */
const MAX_BYTES = 64 * 1024;

/**
 * True when a folder is the top of a git repository: its `.git` is a folder with a HEAD, or a file that points to one,
 * as in a worktree. An empty `.git` does not count (git skips it too): the sandbox of another program may create it
 * temporarily, and a crash may leave it.
 */
export async function isGitRoot(folder: string, reader: Reader): Promise<boolean> {
  const git = path.join(folder, '.git');
  const found = await reader.stat(git);
  if (found?.type === 'directory') return (await reader.stat(path.join(git, 'HEAD'))) !== undefined;
  return found?.type === 'file' && (await isPointer(git, reader));
}

export interface GitFolders {
  /** Has HEAD and its log; of a worktree its own. */
  readonly own: string;
  /** The folder with the configuration; the same for all worktrees of a repository. */
  readonly common: string;
}

/** The git folders of the repository around a folder; `undefined` where there is none. Never rejects. */
export async function gitFoldersOf(folder: string, reader: Reader): Promise<GitFolders | undefined> {
  for (let place = folder; ; place = path.dirname(place)) {
    if (await isGitRoot(place, reader).catch(() => false)) return foldersOf(path.join(place, '.git'), reader);
    if (path.dirname(place) === place) return undefined;
  }
}

/**
 * A worktree's `.git` is a file that points to the worktree's own git folder, which points to that of the repository.
 */
async function foldersOf(dotGit: string, reader: Reader): Promise<GitFolders> {
  const pointer = /^gitdir: (.+)$/m.exec((await textOf(dotGit, reader)) ?? '')?.[1];
  if (pointer === undefined) return { own: dotGit, common: dotGit };
  const own = path.resolve(path.dirname(dotGit), pointer.trim());
  const common = (await textOf(path.join(own, 'commondir'), reader))?.trim();
  return { own, common: common ? path.resolve(own, common) : own };
}

async function isPointer(file: string, reader: Reader): Promise<boolean> {
  return /^gitdir: ./.test((await textOf(file, reader)) ?? '');
}

async function textOf(file: string, reader: Reader): Promise<string | undefined> {
  return reader.readBytes(file, { maxBytes: MAX_BYTES }).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => undefined,
  );
}
