/**
 * Commands that only read and therefore run without approval under every policy (codex-behaviour.md §6.7, sandbox.md
 * §6).
 */
import type { Host } from '../ports.ts';
import { isSafeGit } from './knownSafeGit.ts';
import { mayBeOption } from './options.ts';
import type { Argv } from './parseScript.ts';
import { isSafePowerShell } from './powerShell.ts';
import { isSystemProgram, programName } from './programs.ts';

export type Platform = Host['platform'];

interface SafeProgram {
  /** Options that make it do more than read. */
  readonly refused?: readonly string[];
  /** A further condition on its arguments. */
  readonly accepts?: (words: Argv) => boolean;
  readonly only?: Platform;
}

/** Codex's list, and `sleep`, which only waits. */
const READS_WITH_ANY_ARGUMENTS =
  'cat cd cut echo expr false grep head id ls nl paste pwd rev seq sleep stat tail tr true uname wc which whoami'.split(
    ' ',
  );

/** `sed -n 5p`, `sed -n 5,9p file`: prints lines; such a script can do nothing else. */
const PRINTS_LINES = /^\d+(,\d+)?p$/;
const isPrintingSed = ([quiet, script = '', file = '', ...others]: Argv): boolean =>
  quiet === '-n' && PRINTS_LINES.test(script) && !file.startsWith('-') && others.length === 0;

/**
 * The second operand of `uniq` is an output file. Values of options count as operands here, which costs at most a
 * prompt.
 */
function hasOneOperandAtMost(words: Argv): boolean {
  const end = words.indexOf('--');
  const options = end === -1 ? words : words.slice(0, end);
  const operands = end === -1 ? [] : words.slice(end + 1);
  return operands.length + options.filter((word) => !/^-./.test(word)).length <= 1;
}

const SAFE_PROGRAMS: ReadonlyMap<string, SafeProgram> = new Map<string, SafeProgram>([
  ...READS_WITH_ANY_ARGUMENTS.map((name): [string, SafeProgram] => [name, {}]),
  ['numfmt', { only: 'linux' }],
  ['tac', { only: 'linux' }],
  ['base64', { refused: ['-o', '--output'] }],
  ['find', { refused: ['-exec', '-execdir', '-ok', '-okdir', '-delete', '-fls', '-fprint', '-fprint0', '-fprintf'] }],
  ['rg', { refused: ['--pre', '--hostname-bin', '--search-zip', '-z'] }],
  ['sed', { accepts: isPrintingSed }],
  ['sort', { refused: ['-o', '--output', '-T', '--temporary-directory', '--compress-program'] }],
  ['uniq', { accepts: hasOneOperandAtMost }],
  ['git', { accepts: isSafeGit }],
]);

/**
 * Decides about one command that runs no other command; for scripts and wrappers use `classifyCommand`.
 * On Windows a bare name may be a program of the working directory, so only constant PowerShell scripts count there.
 */
export function isKnownSafe(argv: Argv, platform: Platform): boolean {
  if (platform === 'win32') return isSafePowerShell(argv);
  const [program = '', ...words] = argv;
  const safe = isSystemProgram(program) ? SAFE_PROGRAMS.get(programName(program)) : undefined;
  if (safe === undefined || (safe.only ?? platform) !== platform) return false;
  if (words.some((word) => mayBeOption(word, safe.refused ?? []))) return false;
  return safe.accepts?.(words) ?? true;
}
