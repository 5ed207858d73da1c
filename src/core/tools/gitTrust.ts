/**
 * Whether git may count as only reading in a folder: not where the repository's own files name programs that it would
 * start while it reads, under names that no override can know (core/policy/gitHardening.ts).
 */
import path from 'node:path';
import type { Argv } from '../policy/parseScript.ts';
import type { Workspace } from '../ports.ts';
import { configurationKeys } from '../sandbox/gitMetadata.ts';

/**
 * Started by `status`, `diff`, `log` and `show`. A signature is looked at wherever a format asks for it, and the formats
 * may be the repository's; what is missing of a partial clone is fetched by gits older than `GIT_NO_LAZY_FETCH` (2.44).
 * An include may hold any of them; the last three lead git into a submodule, which has a configuration of its own.
 */
const STARTS_WHILE_READING = [
  /^diff\.external$/,
  /^diff\..*\.(command|textconv)$/,
  /^filter\..*\.(clean|process)$/,
  /^merge\..*\.driver$/,
  /^gpg\.(.*\.)?program$/,
  /^remote\..*\.(uploadpack|vcs)$/,
  /^core\.(sshcommand|gitproxy|askpass)$/,
  /^credential\.(.*\.)?helper$/,
  /^protocol\..*allow$/,
  /^(include|includeif\..*)\.path$/,
  /^submodule\..*\.ignore$/,
  /^diff\.submodule$/,
  /^status\.submodulesummary$/,
];

/** Higher up nobody keeps a repository. */
const MAX_LEVELS = 64;

type Reader = Pick<Workspace, 'stat' | 'readBytes'>;

/** `commands` are those of one script: each may be run where a `cd` before it has led. */
export async function readingStartsPrograms(
  commands: readonly Argv[],
  cwd: string,
  workspace: Reader,
): Promise<boolean> {
  if (!commands.some((argv) => argv.some((word) => path.basename(word) === 'git'))) return false;
  const folders = commands.reduce<readonly string[]>(
    (known, [program, folder]) =>
      program === 'cd' && folder !== undefined ? [...known, path.resolve(known.at(-1) ?? cwd, folder)] : known,
    [cwd],
  );
  const found = await Promise.all(folders.map((folder) => namesPrograms(folder, workspace)));
  return found.includes(true);
}

async function namesPrograms(folder: string, workspace: Reader): Promise<boolean> {
  const top = await topOf(folder, workspace);
  if (top === undefined) return false;
  const own = await gitFolderOf(top, workspace);
  const common = (await textOf(path.join(own, 'commondir'), workspace))?.trim();
  if (common === 'unreadable') return true;
  const shared = common === undefined ? own : path.resolve(own, common);
  const files = [path.join(shared, 'config'), path.join(own, 'config.worktree'), path.join(top, '.gitmodules')];
  const texts = await Promise.all(files.map((file) => textOf(file, workspace)));
  if (texts.includes('unreadable')) return true;
  return texts.some((text = '') =>
    configurationKeys(text).some((key) => STARTS_WHILE_READING.some((one) => one.test(key))),
  );
}

async function topOf(folder: string, workspace: Reader): Promise<string | undefined> {
  for (let at = folder, level = 0; level < MAX_LEVELS; at = path.dirname(at), level++) {
    if (await workspace.stat(path.join(at, '.git'))) return at;
    if (at === path.dirname(at)) return undefined;
  }
  return undefined;
}

/** `.git` itself, or where it points, as in a worktree or a submodule. */
async function gitFolderOf(top: string, workspace: Reader): Promise<string> {
  const git = path.join(top, '.git');
  if ((await workspace.stat(git))?.type === 'directory') return git;
  const target = /^gitdir:\s*(.+?)\s*$/m.exec((await textOf(git, workspace)) ?? '')?.[1];
  return target === undefined ? git : path.resolve(top, target);
}

/** Nothing where there is no file. What we cannot read git may: it is `unreadable`, which is no configuration. */
async function textOf(file: string, workspace: Reader): Promise<string | undefined> {
  const stat = await workspace.stat(file);
  if (stat === undefined) return undefined;
  if (stat.type !== 'file') return 'unreadable';
  const bytes = await workspace.readBytes(file, { maxBytes: 1024 * 1024 }).catch(() => undefined);
  return bytes === undefined ? 'unreadable' : new TextDecoder().decode(bytes);
}
