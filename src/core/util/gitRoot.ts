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

async function isPointer(file: string, reader: Reader): Promise<boolean> {
  try {
    return /^gitdir: ./.test(new TextDecoder().decode(await reader.readBytes(file, { maxBytes: MAX_BYTES })));
  } catch {
    return false;
  }
}
