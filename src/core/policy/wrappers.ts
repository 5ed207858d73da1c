/** Programs that run another program: their own words that may precede it, and their effects on it (sandbox.md §6). */

export interface Wrapper {
  /** Options without a value that do not change what is run. */
  readonly flags: readonly string[];
  /** Options whose value is the next word, or attached (`-n1`, `--signal=KILL`). */
  readonly valueOptions: readonly string[];
  /** The number of its own words between the options and the command. */
  readonly operands: number;
  /** True when `NAME=value` words before the command set its environment. */
  readonly assignments?: true;
  /**
   * Set when the wrapper makes even a harmless command do more: a clause that is appended to the reason, as in "…, and
   * it replaces the shell."
   */
  readonly adds?: string;
}

const WITH_OTHER_RIGHTS = 'it runs with the rights of another user';
const WITH_MORE_ARGUMENTS = 'further arguments come from its input';

export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ['nice', { flags: [], valueOptions: ['-n', '--adjustment'], operands: 0 }],
  [
    'timeout',
    {
      flags: ['--foreground', '--preserve-status', '-v', '--verbose'],
      valueOptions: ['-k', '--kill-after', '-s', '--signal'],
      operands: 1,
    },
  ],
  ['command', { flags: ['-p'], valueOptions: [], operands: 0 }],
  ['builtin', { flags: [], valueOptions: [], operands: 0 }],
  ['repeat', { flags: [], valueOptions: [], operands: 1 }],
  ['noglob', { flags: [], valueOptions: [], operands: 0 }],
  ['nocorrect', { flags: [], valueOptions: [], operands: 0 }],
  [
    'env',
    {
      flags: ['-i', '--ignore-environment'],
      valueOptions: ['-u', '--unset'],
      operands: 0,
      assignments: true,
      adds: 'its environment is changed',
    },
  ],
  ['nohup', { flags: [], valueOptions: [], operands: 0, adds: 'it may outlive the turn' }],
  ['exec', { flags: ['-c', '-l'], valueOptions: ['-a'], operands: 0, adds: 'it replaces the shell' }],
  [
    'sudo',
    {
      flags: ['-n', '-E', '-H', '-S', '-k', '--non-interactive', '--preserve-env', '--set-home', '--stdin'],
      valueOptions: ['-u', '--user', '-g', '--group', '-p', '--prompt'],
      operands: 0,
      assignments: true,
      adds: WITH_OTHER_RIGHTS,
    },
  ],
  ['doas', { flags: ['-n'], valueOptions: ['-u'], operands: 0, adds: WITH_OTHER_RIGHTS }],
  [
    'xargs',
    {
      flags: ['-0', '--null', '-r', '--no-run-if-empty', '-t', '--verbose', '-x', '--exit', '-I{}'],
      valueOptions: ['-n', '--max-args', '-P', '--max-procs', '-L', '-d', '--delimiter', '-s', '-E'],
      operands: 0,
      adds: WITH_MORE_ARGUMENTS,
    },
  ],
]);

/** `find` options that are followed by a command up to `;` or `+`. */
export const FIND_COMMAND_OPTIONS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);
