/**
 * Whether git may count as only reading in a folder: not where the repository's own files name programs that it would
 * start while it reads, under names that no override can know (core/policy/gitHardening.ts). What cannot be told for
 * certain is a yes, which costs a prompt at most.
 */
import path from 'node:path';
import { plainCommands, takeApart } from '../policy/commandTree.ts';
import type { Argv } from '../policy/parseScript.ts';
import type { Host, Workspace } from '../ports.ts';
import { configurationKeys } from '../sandbox/gitMetadata.ts';
import { isWithin } from '../sandbox/within.ts';

/**
 * Started by `status`, `diff`, `log`, `show` and `branch`. A format or an order may ask for signatures, which starts gpg;
 * what is missing of a partial clone is fetched by gits older than `GIT_NO_LAZY_FETCH` (2.44). An include may hold any of
 * them; the last three lead git into a submodule, which has a configuration of its own.
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

/** Higher up nobody keeps a repository, and no honest script goes to more places. */
const MAX_LEVELS = 64;
const MAX_PLACES = 64;

type Reader = Pick<Workspace, 'roots' | 'stat' | 'readBytes'>;

/** Nobody can say what git would find there. */
class Unclear extends Error {}

/** The same of a command that is still whole. */
export function startsPrograms(
  argv: Argv,
  cwd: string,
  { host, workspace }: { readonly host: Pick<Host, 'platform'>; readonly workspace: Reader },
): Promise<boolean> {
  return readingStartsPrograms(plainCommands(takeApart(argv, host)), cwd, workspace);
}

/** `commands` are those of one script: each may be run where a `cd` before it has led. */
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

/** Wherever the script may stand when it comes to git: a `cd` may have failed, or led nowhere because it was piped. */
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

/** git passes over a `.git` that is no repository, and before 2.38 takes a bare one that came with the files. */
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

/** `.git` itself, or where it points, as in a worktree or a submodule. */
async function gitFolderOf(top: string, workspace: Reader): Promise<string> {
  const git = path.join(top, '.git');
  const text = (await workspace.stat(git))?.type === 'directory' ? undefined : await textOf(git, workspace);
  if (text === undefined) return git;
  const target = /^gitdir: ([^\r\n]+)[\r\n]*$/.exec(text)?.[1];
  if (target === undefined) throw new Unclear();
  return follow(top, target, workspace);
}

/** Behind a link `..` leads elsewhere than the name says. */
async function follow(from: string, target: string, workspace: Reader): Promise<string> {
  if (/[^./\\].*\.\./.test(target)) throw new Unclear();
  if (!path.isAbsolute(target)) await refuseLinks(from, workspace);
  return path.resolve(from, target);
}

/** Behind a link git climbs other folders than the name says. What lies above the open folders is the person's own. */
async function refuseLinks(place: string, workspace: Reader): Promise<void> {
  const isAbove = (folder: string): boolean => workspace.roots.some((root) => isWithin(root, folder));
  for (let at = place; !isAbove(at) && at !== path.dirname(at); at = path.dirname(at)) {
    if ((await workspace.stat(at))?.symbolicLink === true) throw new Unclear();
  }
}

function namesPrograms(configuration = ''): boolean {
  return configurationKeys(configuration).some((key) => STARTS_WHILE_READING.some((one) => one.test(key)));
}

/** Nothing where there is no file. @throws where git may be able to read it and we are not. */
async function textOf(file: string, workspace: Reader): Promise<string | undefined> {
  const stat = await workspace.stat(file);
  if (stat === undefined) return undefined;
  if (stat.type !== 'file') throw new Unclear();
  return new TextDecoder().decode(await workspace.readBytes(file, { maxBytes: 1024 * 1024 }));
}
