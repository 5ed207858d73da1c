import type { Argv } from './parseScript.ts';

/** The programs that are known to only read and that bash has as builtins, so that it does not execute them. */
const BUILTINS: ReadonlySet<string> = new Set('cd echo false pwd true'.split(' '));

/**
 * The words of the one program that `bash -c SCRIPT` executes; undefined where it does anything else. For a command that is
 * known to only read: then bash adds nothing, because its environment contains no functions and no start-up files.
 *
 * `commands`: those of the decision (decideCommand.ts).
 */
export function onlyProgramOf(
  argv: Argv,
  commands: readonly Argv[] | null,
): readonly [string, ...string[]] | undefined {
  const [shell, flag, script, ...others] = argv;
  if (shell !== '/bin/bash' && shell !== '/usr/bin/bash') return undefined;
  if (flag !== '-c' || script === undefined || others.length > 0 || commands?.length !== 1) return undefined;
  // It may get a here-document.
  if (script.includes('<')) return undefined;
  const [program, ...words] = commands[0] ?? [];
  return program === undefined || BUILTINS.has(program) ? undefined : [program, ...words];
}
