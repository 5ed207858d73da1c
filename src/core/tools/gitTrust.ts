/**
 * Decides whether reading commands of git may start programs in a folder: those that the repository's own files name,
 * under configuration keys that no override can know (core/policy/gitHardening.ts). When it cannot be determined the
 * answer is yes, which costs a prompt at most.
 */
import path from 'node:path';
import { plainCommands, takeApart } from '../policy/commandTree.ts';
import type { Argv } from '../policy/parseScript.ts';
import type { Host, Workspace } from '../ports.ts';
import { configurationKeys } from '../sandbox/gitMetadata.ts';
import { isBelow } from '../util/pathBelow.ts';

/**
 * Keys that start programs in `status`, `diff`, `log`, `show` and `branch`. A format or an order may ask for
 * signatures, which starts gpg; git older than `GIT_NO_LAZY_FETCH` (2.44) fetches the missing objects of a partial
 * clone. An include may contain any of these keys; the last three lead git into a submodule, which has its own
 * configuration.
 */
const STARTS_WHILE_READING = [
  /^diff\.external$/,
  /^diff\..*\.(command|textconv)$/,
  /^filter\..*\.(clean|process)$/,
  /^merge\..*\.driver$/,
  /^gpg\.(.*\.)?program$/,
  /^(format\.pretty|pretty\..*|branch\.sort)$/,
  /^core\.alternaterefscommand$/,
  /^extensions\.partialclone$/,
  /^remote\..*\.(uploadpack|vcs|promisor|partialclonefilter)$/,
  /^core\.(sshcommand|gitproxy|askpass)$/,
  /^credential\.(.*\.)?helper$/,
  /^protocol\..*allow$/,
  /^(include|includeif\..*)\.path$/,
  /^submodule\..*\.ignore$/,
  /^diff\.submodule$/,
  /^status\.submodulesummary$/,
];

/** Limits: real repositories are not nested deeper, and real scripts do not change to more folders. */
const MAX_LEVELS = 64;
const MAX_PLACES = 64;

type Reader = Pick<Workspace, 'roots' | 'stat' | 'readBytes'>;

/** Thrown when it cannot be determined which configuration git would read. */
class Unclear extends Error {}

/** Like `readingStartsPrograms`, for a command that has not been split yet. */
export function startsPrograms(
  argv: Argv,
  cwd: string,
  { host, workspace }: { readonly host: Pick<Host, 'platform'>; readonly workspace: Reader },
): Promise<boolean> {
  return readingStartsPrograms(plainCommands(takeApart(argv, host)), cwd, workspace);
}

/**
 * True when reading with git may start programs. `commands` are those of one script: each may run in any folder that a
 * `cd` before it leads to.
 */
export async function readingStartsPrograms(
  commands: readonly Argv[],
  cwd: string,
  workspace: Reader,
): Promise<boolean> {
  if (!commands.some((argv) => argv.some((word) => path.basename(word) === 'git'))) return false;
  try {
    const found = await Promise.all(placesOf(commands, cwd).map((place) => isNamedAround(place, workspace)));
    return found.includes(true);
  } catch {
    return true;
  }
}

/** All folders that may be current when git runs: a `cd` may have failed, or had no effect because it was piped. */
function placesOf(commands: readonly Argv[], cwd: string): readonly string[] {
  let places = [cwd];
  for (const [program, target, ...others] of commands) {
    if (program !== 'cd') continue;
    if (target === undefined || target.startsWith('-') || others.length > 0) throw new Unclear();
    places = [...new Set([...places, ...places.map((place) => path.resolve(place, target))])];
    if (places.length > MAX_PLACES) throw new Unclear();
  }
  return places;
}

/**
 * Also looks at folders above a `.git` that is not a repository, because git skips it, and at bare repositories,
 * because git before 2.38 uses one that came with the files.
 */
async function isNamedAround(place: string, workspace: Reader): Promise<boolean> {
  await refuseLinks(place, workspace);
  let at = place;
  for (let level = 0; level < MAX_LEVELS; level++, at = path.dirname(at)) {
    if ((await workspace.stat(path.join(at, '.git'))) && (await isNamedIn(at, workspace))) return true;
    const isBare = await workspace.stat(path.join(at, 'HEAD'));
    if (isBare && namesPrograms(await textOf(path.join(at, 'config'), workspace))) return true;
    if (at === path.dirname(at)) return false;
  }
  throw new Unclear();
}

async function isNamedIn(top: string, workspace: Reader): Promise<boolean> {
  const own = await gitFolderOf(top, workspace);
  const common = await textOf(path.join(own, 'commondir'), workspace);
  const shared = common === undefined ? own : await follow(own, common.replace(/[\r\n]+$/, ''), workspace);
  const files = [path.join(shared, 'config'), path.join(own, 'config.worktree'), path.join(top, '.gitmodules')];
  const texts = await Promise.all(files.map((file) => textOf(file, workspace)));
  return texts.some(namesPrograms);
}

/** Returns `.git` itself, or the folder that it points to, as in a worktree or a submodule. */
async function gitFolderOf(top: string, workspace: Reader): Promise<string> {
  const git = path.join(top, '.git');
  const text = (await workspace.stat(git))?.type === 'directory' ? undefined : await textOf(git, workspace);
  if (text === undefined) return git;
  const target = /^gitdir: ([^\r\n]+)[\r\n]*$/.exec(text)?.[1];
  if (target === undefined) throw new Unclear();
  return follow(top, target, workspace);
}

/** @throws Unclear where `..` may follow a link, because it leads elsewhere than the name says. */
async function follow(from: string, target: string, workspace: Reader): Promise<string> {
  if (/[^./\\].*\.\./.test(target)) throw new Unclear();
  if (!path.isAbsolute(target)) await refuseLinks(from, workspace);
  return path.resolve(from, target);
}

/**
 * @throws Unclear if the place is reached by a link, because git then searches other parent folders than the name says.
 * Folders above the open ones belong to the user and are not checked.
 */
async function refuseLinks(place: string, workspace: Reader): Promise<void> {
  const isAbove = (folder: string): boolean => workspace.roots.some((root) => isBelow(root, folder));
  for (let at = place; !isAbove(at) && at !== path.dirname(at); at = path.dirname(at)) {
    if ((await workspace.stat(at))?.symbolicLink === true) throw new Unclear();
  }
}

function namesPrograms(configuration = ''): boolean {
  return configurationKeys(configuration).some((key) => STARTS_WHILE_READING.some((pattern) => pattern.test(key)));
}

/** Returns `undefined` where there is no file. @throws where git may be able to read the file and Tiller is not. */
async function textOf(file: string, workspace: Reader): Promise<string | undefined> {
  const stat = await workspace.stat(file);
  if (stat === undefined) return undefined;
  if (stat.type !== 'file') throw new Unclear();
  return new TextDecoder().decode(await workspace.readBytes(file, { maxBytes: 1024 * 1024 }));
}
