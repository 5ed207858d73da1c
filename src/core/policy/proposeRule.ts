/** The rule that "always allow …" would add, if there is a reasonable one (codex-behaviour.md §6.10). */
import { isBannedPattern } from './bannedPrefix.ts';
import type { PolicyVerdict } from './policyVerdict.ts';
import type { Argv } from './parseScript.ts';
import { programName } from './programs.ts';

/** Tools whose sub-command names their action, and the sub-commands that affect only the project. */
const PROJECT_TOOLS: ReadonlySet<string> = new Set('npm pnpm yarn cargo go dotnet swift mix zig'.split(' '));
const PROJECT_JOBS: ReadonlySet<string> = new Set(
  'test build check lint fmt format clippy vet typecheck doc run'.split(' '),
);

/**
 * Returns the model's prefix if it would allow every command of the script and no rule has matched; otherwise the first
 * command that the heuristics asked about: `npm test` for `npm test a.js`, the whole command for any other. `undefined`
 * when a rule or danger was the reason to ask,
 * or when the script is of the kind that is written once: with expansions, loops or a bare interpreter in it.
 */
export function proposePrefix(commands: readonly PolicyVerdict[], modelPrefixRule?: Argv): Argv | undefined {
  const asked = commands.filter(({ decision }) => decision !== 'allow');
  // `curl URL | sh`: a rule for the download would not make the script that it brings any safer.
  if (asked.some(({ proposable, argv }) => !proposable || isBannedPattern(argv))) return undefined;
  if (modelPrefixRule !== undefined && isSanePrefix(modelPrefixRule, commands, asked)) return modelPrefixRule;
  const [first] = asked;
  return first === undefined || !canBePrefix(first.argv) ? undefined : sensiblePrefix(first.argv);
}

/** `find` is excluded, because options can be appended that make it run commands. */
function canBePrefix(prefix: Argv): boolean {
  return !isBannedPattern(prefix) && programName(prefix[0] ?? '') !== 'find';
}

function sensiblePrefix(argv: Argv): Argv {
  const [program = '', job = '', name] = argv;
  if (!PROJECT_TOOLS.has(program) || !PROJECT_JOBS.has(job)) return argv;
  if (job !== 'run') return [program, job];
  // `go run` and `cargo run` take the program itself as an argument.
  return program.endsWith('m') && name !== undefined && !name.startsWith('-') ? [program, job, name] : argv;
}

function isSanePrefix(prefix: Argv, commands: readonly PolicyVerdict[], asked: readonly PolicyVerdict[]): boolean {
  return (
    canBePrefix(prefix) &&
    commands.every(({ matches }) => matches.length === 0) &&
    asked.every(({ argv }) => prefix.every((word, index) => argv[index] === word))
  );
}
