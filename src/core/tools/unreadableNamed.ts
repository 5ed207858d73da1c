import path from 'node:path';
import { containmentOf } from '../policy/decisionTable.ts';
import { namedPaths } from '../policy/namedPaths.ts';
import type { Argv } from '../policy/parseScript.ts';
import type { SandboxPermissions } from '../../protocol/policy.ts';
import type { Host } from '../ports.ts';
import { globToRegExp } from '../util/glob.ts';
import { linkedSecrets, type ReadGuard, readGuard, readLimitsOf } from './files/readGuard.ts';
import type { ToolContext } from './handler.ts';

/**
 * Returns the reason why a file that this command names may not be read, as a clause; `undefined` where there is none,
 * and where the sandbox keeps the file closed anyway.
 */
export async function unreadableNamed(
  argv: Argv,
  cwd: string,
  sandboxPermissions: SandboxPermissions,
  context: ToolContext,
): Promise<string | undefined> {
  if (containmentOf(context.settings) === 'sandboxed' && sandboxPermissions !== 'require_escalated') return undefined;
  return fileNamedIn(argv, cwd, context);
}

type NamingContext = Pick<ToolContext, 'thread' | 'settings' | 'host' | 'workspace'>;

/** Likewise for a command that runs outside of the sandbox. */
export async function fileNamedIn(argv: Argv, cwd: string, context: NamingContext): Promise<string | undefined> {
  const { host, workspace } = context;
  const guard = await guardOf(context);
  const { words, folders } = namedPaths(argv, host.platform);
  const written = words.map((word) => expanded(word, host));
  const places = [cwd];
  for (const folder of folders) {
    const entered = expanded(folder, host);
    // From the working directory, and from the folder before: `(cd a); cd b` and `cd a; cd b` are not distinguished.
    places.push(path.resolve(cwd, entered), path.resolve(places.at(-1) ?? cwd, entered));
  }
  const named = [...new Set([...new Set(places)].flatMap((place) => written.map((word) => path.resolve(place, word))))];
  const globs = named.filter(isGlob).slice(0, MAX_GLOBS);
  const matched = (await Promise.all(globs.map((glob) => matchesOf(glob, context)))).flat();
  // Globs themselves, too: `packages/*/.env` names its file whatever the folders are.
  const byName = guard([...named, ...matched]);
  if (byName !== undefined) return byName;
  // A link leads to a file of another name.
  const plain = [...named.filter((word) => !isGlob(word)), ...matched];
  const resolved = [...(await workspace.places(plain.slice(0, MAX_RESOLVED))).values()];
  const found = resolved.filter((place) => 'target' in place);
  const byLink = guard(found.flatMap(({ name, target }) => [name, target]));
  if (byLink !== undefined) return byLink;
  const targets = found.map(({ target }) => target);
  const [linked] = (await linkedSecrets(targets, guard, readLimitsOf(context), context)).values();
  return linked;
}

/** Maximum globs of one command that are looked up, and maximum paths that are resolved. */
const [MAX_GLOBS, MAX_RESOLVED] = [16, 64];
/** Maximum paths for one glob, after each of its parts. */
const MAX_MATCHES = 512;

/** The word with `~`, and with the variables of the environment in the syntax of all shells: `$HOME`, `$env:X`, `%X%`. */
function expanded(word: string, { homeDirectory, environment }: Host): string {
  const valueOf = (name: string) => (name === 'PWD' ? '.' : name === 'HOME' ? homeDirectory : environment[name]);
  const home = word.replace(/^~(?=$|[\\/])/, () => homeDirectory);
  return home.replaceAll(/\$(?:env:)?(\w+)|\$\{(?:env:)?(\w+)\}|%(\w+)%/gi, (whole, one, other, third) => {
    return valueOf(one ?? other ?? third) ?? whole;
  });
}

function isGlob(word: string): boolean {
  return /[*?[]/.test(word);
}

/**
 * By the list of the settings, then by thread and working directory. Resolving its places takes longer than all else that
 * is done before a command.
 */
const guards = new WeakMap<readonly string[], Map<string, Promise<ReadGuard>>>();

/** The guard of a thread. Never rejects. */
export function guardOf(context: NamingContext): Promise<ReadGuard> {
  const { thread, settings } = context;
  const known = guards.get(thread.unreadable) ?? new Map<string, Promise<ReadGuard>>();
  guards.set(thread.unreadable, known);
  const key = `${thread.id}\n${settings.cwd}`;
  const guard = known.get(key) ?? readGuard(readLimitsOf(context), context);
  known.set(key, guard);
  return guard;
}

/** The paths that a shell would put in place of an absolute word with `*`, `?` or `[`; some may not exist. */
async function matchesOf(pattern: string, { workspace }: Pick<ToolContext, 'workspace'>): Promise<readonly string[]> {
  const { root } = path.parse(pattern);
  let found = [root];
  for (const part of pattern.slice(root.length).split(path.sep)) {
    if (isGlob(part)) {
      const lists = await Promise.all(found.map((folder) => entriesOf(folder, part, workspace)));
      found = lists.flat().slice(0, MAX_MATCHES);
    } else found = found.map((folder) => path.join(folder, part));
  }
  return found;
}

/** `name`: a glob for the names in the folder. */
async function entriesOf(
  folder: string,
  name: string,
  workspace: ToolContext['workspace'],
): Promise<readonly string[]> {
  const expression = globToRegExp(name);
  const entries = await workspace.list(folder).catch(() => []);
  return entries
    .filter((entry) => expression.test(entry.name) && (name.startsWith('.') || !entry.name.startsWith('.')))
    .map((entry) => path.join(folder, entry.name));
}
