/** Reads the files of a git repository. Never runs git: that could run programs that the repository names. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { gitWarning, liveHooks, programKeys } from '../../core/sandbox/gitMetadata.ts';
import { namesIn, realOf } from './disk.ts';

/** Longer configurations are ignored; of a pointer no more is read. */
const MAX_LENGTH = 1024 * 1024;

/**
 * Returns one sentence about the programs that git would run for this `.git` or bare repository; `undefined` for none.
 */
export function repositoryWarning(repository: string): string | undefined {
  const folders = [repository, ...pointedAt(repository)];
  const keys = folders.flatMap((folder) =>
    ['config', 'config.worktree'].flatMap((name) => keysIn(path.join(folder, name))),
  );
  const hooks = folders.flatMap((folder) => liveHooks(namesIn(path.join(folder, 'hooks'))));
  return gitWarning(repository, { keys: [...new Set(keys)], hooks: [...new Set(hooks)] });
}

/** The git folder of a worktree or a submodule, and the one that a git folder shares (gitrepository-layout(5)). */
export function pointedAt(pointer: string): string[] {
  const gitFolder = valueIn(pointer, /^gitdir:\s*(.+)$/m, path.dirname(pointer)) ?? pointer;
  const common = valueIn(path.join(gitFolder, 'commondir'), /^(.+)$/m, gitFolder);
  return [gitFolder, common].flatMap((folder) =>
    folder === undefined || folder === pointer ? [] : (realOf(folder) ?? []),
  );
}

function valueIn(file: string, pattern: RegExp, base: string): string | undefined {
  try {
    const value = lstatSync(file).isFile() ? pattern.exec(beginningOf(file))?.[1] : undefined;
    return value === undefined ? undefined : path.resolve(base, value.trim());
  } catch {
    return undefined;
  }
}

/** Reads a bounded part without blocking: commands run at the same time and may have made it gigabytes or a pipe. */
function beginningOf(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const length = Math.min(fstatSync(descriptor).size, MAX_LENGTH);
    const bytes = Buffer.alloc(length);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, length, 0));
  } finally {
    closeSync(descriptor);
  }
}

function keysIn(file: string): string[] {
  try {
    const stat = lstatSync(file);
    if (!stat.isFile() || stat.size > MAX_LENGTH) return [`something in ${file}`];
    return programKeys(beginningOf(file));
  } catch {
    return [];
  }
}
