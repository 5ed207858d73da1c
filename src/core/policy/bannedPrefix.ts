/** Prefixes that would allow anything (codex-behaviour.md §6.10). */
import type { Rule } from '../../protocol/policy.ts';
import { programName } from './programs.ts';

/** Programs that run any program or code they are given: a rule that ends with their name would allow everything. */
const INTERPRETERS_AND_WRAPPERS: ReadonlySet<string> = new Set(
  (
    'python py pypy node nodejs deno bun tsx ts-node perl ruby php lua osascript awk gawk ' +
    'bash sh zsh dash ksh fish ash busybox pwsh powershell cmd env sudo doas su nice nohup timeout command builtin ' +
    'exec eval source . xargs find parallel time watch ssh docker podman kubectl npx bunx uvx pipx git rm sed make ' +
    'setsid stdbuf ionice chrt taskset setarch unshare nsenter chroot runuser pkexec systemd-run flock script strace ' +
    'ltrace gdb expect unbuffer tclsh rscript entr toybox'
  ).split(' '),
);

/** Flags after which such a program can still run anything. */
const CODE_FLAGS: ReadonlySet<string> = new Set(
  '- -- -c -lc -lic -ic -e -E -r -m -p -S -i -I{} --eval --print --command -command -noprofile -exec exec run'.split(
    ' ',
  ),
);

/**
 * True for a pattern that is never proposed, and accepted neither from the model nor from the user's choice, because
 * what it covers cannot be shown in one line.
 */
export function isBannedPattern(pattern: readonly (string | readonly string[])[]): boolean {
  const [programs = [], ...places] = pattern.map((word) => (typeof word === 'string' ? [word] : word));
  if (programs.length === 0) return true;
  const anything = programs.some((program) => INTERPRETERS_AND_WRAPPERS.has(withoutVersion(programName(program))));
  return anything && places.every((words) => words.some((word) => CODE_FLAGS.has(word.toLowerCase())));
}

/** `python3.12` becomes `python`. */
function withoutVersion(name: string): string {
  return name.replace(/(?<=[a-z])[-.\d]+$/, '');
}

/** The message for a user who tries to add such a rule; `undefined` for any other rule. */
export function banReason(rule: Rule): string | undefined {
  if (rule.decision !== 'allow' || !isBannedPattern(rule.pattern)) return undefined;
  const words = rule.pattern.map((word) => (typeof word === 'string' ? word : word.join('|'))).join(' ');
  return `A rule for "${words}" would allow any command that is run with it. Add the words that follow, to limit what it allows.`;
}
