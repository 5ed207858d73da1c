import path from 'node:path';

/** Of the Workspace port. */
interface Reader {
  stat(path: string): Promise<{ readonly type: string } | undefined>;
  readBytes(path: string, options: { maxBytes: number }): Promise<Uint8Array>;
}

/** A pointer is one line; what is longer is none. */
const MAX_BYTES = 64 * 1024;

/**
 * Whether a folder is the top of a git repository: its `.git` is a folder with a HEAD, or a file that points to one, as in
 * a worktree. An empty `.git` is none (git passes over it, too): a sandbox of another program may need it for a moment,
 * and a crash may leave it.
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
