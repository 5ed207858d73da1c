/**
 * A git worktree, made and removed without git (gitrepository-layout(5)): git would run hooks and filters that the
 * repository names. Its HEAD is detached, so that commits in the copy move no branch.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../core/util/fileErrors.ts';
import { type GitIndex, parseIndex } from './gitIndex.ts';

/** The repository of a folder that is its top. */
export interface Repository {
  /** The folder with configuration, objects and branches. Absolute. */
  readonly common: string;
  /** The commit that is checked out. */
  readonly head: string;
  readonly index: GitIndex;
}

/**
 * `undefined` where there is none of which a worktree can be made: then the copy is a plain one. Rejects with the error
 * of `pause`.
 */
export async function repositoryAt(
  folder: string,
  pause: () => Promise<void> | undefined,
): Promise<Repository | undefined> {
  const own = gitFolder(path.join(folder, '.git'));
  if (own === undefined) return undefined;
  const shared = readLine(path.join(own, 'commondir'));
  const common = shared === undefined ? own : path.resolve(own, shared);
  const configuration = readText(path.join(common, 'config'));
  // Other names of objects, or branches in a database.
  if (configuration === undefined || /^\s*(objectformat|refstorage)\b/im.test(configuration)) return undefined;
  const head = commitOf(own, common, 'HEAD');
  const bytes = readBytes(path.join(own, 'index'));
  const index = bytes && (await parseIndex(bytes, pause));
  return head === undefined || index === undefined ? undefined : { common, head, index };
}

/** The git folder of the worktree that `addWorktree` makes: known before, so that a crash leaves no unknown one. */
export function worktreeFolder({ common }: Pick<Repository, 'common'>, name: string): string {
  return path.join(common, 'worktrees', name);
}

const CANNOT_WRITE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST']);

/**
 * `folder`: the copy, which has its files already. False where the repository cannot be written: then the worktree is
 * removed. @throws the error of the disk
 */
export function addWorktree(gitFolderOfCopy: string, folder: string, head: string, index: Uint8Array): boolean {
  try {
    writeWorktree(gitFolderOfCopy, folder, head, index);
    return true;
  } catch (error) {
    if (!CANNOT_WRITE.has(errorCode(error) ?? '')) throw error;
    rmSync(path.join(folder, '.git'), { force: true });
    removeWorktree(gitFolderOfCopy);
    return false;
  }
}

function writeWorktree(gitFolderOfCopy: string, folder: string, head: string, index: Uint8Array): void {
  mkdirSync(gitFolderOfCopy, { recursive: true });
  writeFileSync(path.join(gitFolderOfCopy, 'commondir'), '../..\n');
  writeFileSync(path.join(gitFolderOfCopy, 'HEAD'), `${head}\n`);
  writeFileSync(path.join(gitFolderOfCopy, 'gitdir'), `${path.join(folder, '.git')}\n`);
  writeFileSync(path.join(folder, '.git'), `gitdir: ${gitFolderOfCopy}\n`);
  writeFileSync(path.join(gitFolderOfCopy, 'index'), index);
}

/** Has no effect where it is missing. Commits that were made in it stay in the repository until git collects them. */
export function removeWorktree(gitFolderOfCopy: string): void {
  try {
    rmSync(gitFolderOfCopy, { recursive: true, force: true });
  } catch (error) {
    // `worktrees` is no folder.
    if (errorCode(error) !== 'ENOTDIR') throw error;
  }
}

/** Steps of HEAD that make no commit. */
const MOVES = /^(checkout|reset|clone|branch)\b/;

/**
 * The commits that were made in a worktree, each with its hash and its title. `head`: the commit with which it began;
 * `null` where it is not known.
 */
export function commitsIn(gitFolderOfCopy: string, head: string | null): readonly string[] {
  const log = readText(path.join(gitFolderOfCopy, 'logs', 'HEAD'));
  const now = readLine(path.join(gitFolderOfCopy, 'HEAD'));
  if (log === undefined || log === '') {
    return head !== null && now !== undefined && COMMIT.test(now) && now !== head ? [now] : [];
  }
  return log.split('\n').flatMap((line) => {
    const [facts = '', message] = line.split('\t');
    const commit = facts.split(' ')[1];
    if (message === undefined || commit === undefined || MOVES.test(message)) return [];
    return [`${commit.slice(0, 10)} ${message.replace(/^[^:]*: /, '')}`];
  });
}

function gitFolder(dotGit: string): string | undefined {
  const pointer = readText(dotGit);
  if (pointer === undefined) return readText(path.join(dotGit, 'HEAD')) === undefined ? undefined : dotGit;
  const target = /^gitdir: (.+)$/m.exec(pointer)?.[1]?.trim();
  return target === undefined ? undefined : path.resolve(path.dirname(dotGit), target);
}

const COMMIT = /^[0-9a-f]{40}$/;
/** As many links between names as git follows. */
const MAX_LINKS = 5;

function commitOf(own: string, common: string, name: string, links = 0): string | undefined {
  const folder = name === 'HEAD' ? own : common;
  const line = readLine(path.join(folder, ...name.split('/'))) ?? packed(common, name);
  if (line === undefined || links > MAX_LINKS) return undefined;
  if (COMMIT.test(line)) return line;
  const next = /^ref: (refs\/.+)$/.exec(line)?.[1];
  return next === undefined || next.split('/').includes('..') ? undefined : commitOf(own, common, next, links + 1);
}

function packed(common: string, name: string): string | undefined {
  const lines = readText(path.join(common, 'packed-refs'))?.split('\n') ?? [];
  return lines.find((line) => line.slice(41) === name)?.slice(0, 40);
}

function readLine(file: string): string | undefined {
  return readText(file)?.split('\n')[0]?.trim();
}

function readText(file: string): string | undefined {
  return readBytes(file)?.toString('utf8');
}

/** `undefined` where there is no such file. */
function readBytes(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
