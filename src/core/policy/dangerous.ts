/**
 * Commands that destroy work and need approval under every policy (codex-behaviour.md §6.8): for `rm` the current rule
 * of Codex, for git the older one. Matches too much rather than too little; the folder of the program does not matter.
 */
import type { Platform } from './knownSafe.ts';
import { gitSubCommand } from './knownSafeGit.ts';
import { mayBeOption } from './options.ts';
import type { Argv } from './parseScript.ts';
import { isDangerousOnWindows } from './powerShell.ts';
import { programName } from './programs.ts';

const DANGEROUS_GIT: ReadonlySet<string> = new Set(['reset', 'rm', 'clean']);

const DANGEROUS_PROGRAMS: ReadonlyMap<string, (words: Argv) => boolean> = new Map([
  ['rm', isForcedRemoval],
  ['git', (words: Argv) => DANGEROUS_GIT.has(gitSubCommand(words) ?? '')],
]);

/** Decides about one command that runs no other command; for scripts and wrappers use `classifyCommand`. */
export function isDangerous(argv: Argv, platform: Platform): boolean {
  const [program = '', ...words] = argv;
  if (platform === 'win32' && isDangerousOnWindows(argv)) return true;
  return DANGEROUS_PROGRAMS.get(programName(program))?.(words) ?? false;
}

/** True for a force flag anywhere before `--`: alone, in a cluster or in its long form. */
function isForcedRemoval(words: Argv): boolean {
  const end = words.indexOf('--');
  const options = end === -1 ? words : words.slice(0, end);
  return options.some((word) => mayBeOption(word, ['-f', '--force']));
}
