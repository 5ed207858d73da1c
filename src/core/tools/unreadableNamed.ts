import path from 'node:path';
import { containmentOf } from '../policy/decisionTable.ts';
import { wordsIn } from '../policy/namedPaths.ts';
import type { Argv } from '../policy/parseScript.ts';
import type { SandboxPermissions } from '../../protocol/policy.ts';
import { globToRegExp } from '../util/glob.ts';
import { type ReadGuard, readGuard, readLimitsOf } from './files/readGuard.ts';
import type { ToolContext } from './handler.ts';

/**
 * Why a file that this command names may not be read, as a clause; `undefined` where there is none, and where the sandbox
 * keeps the file closed anyway.
 */
export async function unreadableNamed(
  argv: Argv,
  cwd: string,
  sandboxPermissions: SandboxPermissions,
  context: ToolContext,
): Promise<string | undefined> {
  const { settings, host, workspace } = context;
  if (containmentOf(settings) === 'sandboxed' && sandboxPermissions !== 'require_escalated') return undefined;
  const guard = await guardOf(context);
  const words = wordsIn(argv, host.platform);
  const absolute = (word: string) =>
    path.resolve(cwd, word.startsWith('~/') ? path.join(host.homeDirectory, word.slice(2)) : word);
  const isGlob = (word: string) => /[*?[]/.test(word);
  const named = words.filter((word) => !isGlob(word)).map(absolute);
  const globs = words.filter(isGlob).slice(0, MAX_GLOBS).map(absolute);
  const matched = (await Promise.all(globs.map((glob) => matchesOf(glob, context)))).flat();
  const byName = guard([...named, ...matched]);
  if (byName !== undefined) return byName;
  // A link leads to a file of another name.
  const places = [...(await workspace.places(named.slice(0, MAX_RESOLVED))).values()];
  return guard(places.flatMap((place) => ('target' in place ? [place.name, place.target] : [])));
}

/** Of the words of one command: how many globs are looked up, and how many paths are resolved. */
const [MAX_GLOBS, MAX_RESOLVED] = [16, 64];

/**
 * By the list of the settings, then by thread and working directory. Resolving its places takes longer than all else that
 * is done before a command.
 */
const guards = new WeakMap<readonly string[], Map<string, Promise<ReadGuard>>>();

function guardOf(context: ToolContext): Promise<ReadGuard> {
  const { thread, settings } = context;
  const known = guards.get(thread.unreadable) ?? new Map<string, Promise<ReadGuard>>();
  guards.set(thread.unreadable, known);
  const key = `${thread.id}\n${settings.cwd}`;
  const guard = known.get(key) ?? readGuard(readLimitsOf(context), context);
  known.set(key, guard);
  return guard;
}

/** The files that a shell would put in place of a word with `*`, `?` or `[` in its last name. */
async function matchesOf(pattern: string, { workspace }: Pick<ToolContext, 'workspace'>): Promise<readonly string[]> {
  const [folder, name] = [path.dirname(pattern), path.basename(pattern)];
  const expression = globToRegExp(name);
  const entries = await workspace.list(folder).catch(() => []);
  return entries
    .filter((entry) => expression.test(entry.name) && (name.startsWith('.') || !entry.name.startsWith('.')))
    .map((entry) => path.join(folder, entry.name));
}
