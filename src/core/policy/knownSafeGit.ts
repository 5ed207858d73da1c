/** git commands that only read (codex-behaviour.md §6.7, sandbox.md §6), given `GIT_HARDENING_ENVIRONMENT`. */
import { mayBeOption } from './options.ts';
import type { Argv } from './parseScript.ts';

/** Options before the sub-command that neither configure git nor select another repository. */
const GLOBAL_OPTIONS: ReadonlySet<string> = new Set([
  '--no-pager',
  '-P',
  '--no-optional-locks',
  '--literal-pathspecs',
  '--no-replace-objects',
]);

/**
 * Options that write a file or start a program that the repository names: `--help` the viewer of manuals,
 * `--remerge-diff` the merge drivers, `--submodule` and `--ignore-submodules` those of a submodule's own configuration.
 */
const REFUSED = [
  '--output',
  '--ext-diff',
  '--textconv',
  '--exec',
  '--paginate',
  '--show-signature',
  '--help',
  '--remerge-diff',
  '--diff-merges',
  '--submodule',
  '--ignore-submodules',
];

/** `%G…` and `%(signature…)` in a format ask for a signature, which starts the program that the repository names. */
const SIGNATURE_FORMAT = /%G|%\(\*?signature/;

const BRANCH_LISTING: ReadonlySet<string> = new Set([
  '--list',
  '-l',
  '--show-current',
  '-a',
  '--all',
  '-r',
  '--remotes',
  '-v',
  '-vv',
  '--verbose',
]);

const SUB_COMMANDS: ReadonlyMap<string, (words: Argv) => boolean> = new Map<string, (words: Argv) => boolean>([
  ['status', () => true],
  ['log', () => true],
  ['diff', () => true],
  ['show', () => true],
  ['branch', (words) => words.every((word) => BRANCH_LISTING.has(word) || word.startsWith('--format='))],
]);

/** `words`: without the program. Returns false for every command and option that is not known to read only. */
export function isSafeGit(words: Argv): boolean {
  const at = words.findIndex((word) => !GLOBAL_OPTIONS.has(word));
  const rest = words.slice(at + 1);
  const accepts = at === -1 ? undefined : SUB_COMMANDS.get(words[at] ?? '');
  return (accepts?.(rest) ?? false) && !rest.some((word) => mayBeOption(word, REFUSED) || SIGNATURE_FORMAT.test(word));
}

/** Options before the sub-command whose value is the next word. */
const GLOBAL_VALUE_OPTIONS: ReadonlySet<string> = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--exec-path',
  '--super-prefix',
  '--config-env',
  '--attr-source',
]);

/** Returns the sub-command after all global options. */
export function gitSubCommand(words: Argv): string | undefined {
  let at = 0;
  while (words[at]?.startsWith('-') === true) at += GLOBAL_VALUE_OPTIONS.has(words[at] ?? '') ? 2 : 1;
  return words[at];
}
