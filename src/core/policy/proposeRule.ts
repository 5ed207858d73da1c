/** What "always allow …" would add, when there is something sane to add (codex-behaviour.md §6.10). */
import type { Rule } from '../../protocol/policy.ts';
import type { Judgement } from './judge.ts';
import type { Argv } from './parseScript.ts';
import { programName } from './programs.ts';

/** Programs that run whatever they are given: a rule that stops at their name would allow everything. */
const INTERPRETERS_AND_WRAPPERS: ReadonlySet<string> = new Set(
  (
    'python python2 python3 py pypy pypy3 node nodejs deno bun tsx ts-node perl ruby php lua osascript awk gawk ' +
    'bash sh zsh dash ksh fish ash busybox pwsh powershell cmd env sudo doas su nice nohup timeout command builtin ' +
    'exec eval source . xargs find parallel time watch ssh docker podman kubectl npx bunx uvx pipx git rm sed make'
  ).split(' '),
);

/** Flags after which such a program still runs anything. */
const CODE_FLAGS: ReadonlySet<string> = new Set(
  '- -- -c -lc -lic -ic -e -E -r -m -p -S -i -I{} --eval --print --command -command -noprofile -exec exec run'.split(
    ' ',
  ),
);

/** Never offered and never taken from the model, for what it covers cannot be shown in one line. */
export function isBannedPrefix(prefix: Argv): boolean {
  const [program, ...words] = prefix;
  if (program === undefined) return true;
  const name = programName(program).toLowerCase();
  return INTERPRETERS_AND_WRAPPERS.has(name) && words.every((word) => CODE_FLAGS.has(word.toLowerCase()));
}

/**
 * The model's prefix if, with it, every command of the script would be allowed, and no rule has spoken yet; else the
 * whole of the first command that the heuristics asked about. Nothing when a rule or danger was the reason to ask.
 */
export function proposeRule(commands: readonly Judgement[], modelPrefixRule?: Argv): Rule | undefined {
  const asked = commands.filter(({ decision }) => decision !== 'allow');
  if (asked.some(({ proposable }) => !proposable)) return undefined;
  if (modelPrefixRule !== undefined && isSanePrefix(modelPrefixRule, commands, asked)) return allow(modelPrefixRule);
  const [first] = asked;
  return first === undefined || isBannedPrefix(first.argv) ? undefined : allow(first.argv);
}

function isSanePrefix(prefix: Argv, commands: readonly Judgement[], asked: readonly Judgement[]): boolean {
  return (
    !isBannedPrefix(prefix) &&
    commands.every(({ matches }) => matches.length === 0) &&
    asked.every(({ argv }) => prefix.every((word, index) => argv[index] === word))
  );
}

function allow(prefix: Argv): Rule {
  return { pattern: [...prefix], decision: 'allow' };
}
