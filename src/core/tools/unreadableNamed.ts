import path from 'node:path';
import { containmentOf } from '../policy/decisionTable.ts';
import { wordsIn } from '../policy/namedPaths.ts';
import type { Argv } from '../policy/parseScript.ts';
import type { SandboxPermissions } from '../../protocol/policy.ts';
import { globToRegExp } from '../util/glob.ts';
import { readGuard, readLimitsOf } from './files/readGuard.ts';
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
  const guard = await readGuard(readLimitsOf(context), context);
  for (const word of wordsIn(argv, host.platform)) {
    const named = path.resolve(cwd, word.startsWith('~/') ? path.join(host.homeDirectory, word.slice(2)) : word);
    for (const file of /[*?[]/.test(word) ? await matchesOf(named, context) : [named]) {
      const place = /[*?[]/.test(word) ? undefined : (await workspace.places([file])).get(file);
      const names = place !== undefined && 'target' in place ? [file, place.name, place.target] : [file];
      const clause = guard(names);
      if (clause !== undefined) return clause;
    }
  }
  return undefined;
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
