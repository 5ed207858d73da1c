/**
 * What a command gets of our environment. Variables that make programs wait, page or colour are forced; secrets, loader
 * tricks and the ways into VS Code are left out (codex-behaviour.md §4.1 recommends filtering, reference/sandbox.md §7
 * names the loaders).
 */
import type { EnvironmentSettings } from '../../protocol/settings.ts';

/** So that output is plain text and nothing waits for a key (codex-behaviour.md §4.1). */
const FORCED = {
  NO_COLOR: '1',
  TERM: 'dumb',
  LANG: 'C.UTF-8',
  LC_CTYPE: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  COLORTERM: '',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GH_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  TILLER: '1',
} as const;

/** What `inherit: core` leaves: the seeds' list, and what no program of Windows starts without. */
const CORE = new Set(
  'HOME LOGNAME PATH SHELL USER USERNAME TMPDIR TEMP TMP SYSTEMROOT WINDIR COMSPEC PATHEXT USERPROFILE'.split(' '),
);

const SECRET_WORDS = /KEY|SECRET|TOKEN|PASSWORD|PASSWD|CREDENTIAL/i;
/** Variables that make programs run code, or lead into an editor, an agent or our own home. */
const LOADERS =
  /^(LD_.*|DYLD_.*|BASH_ENV|ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|NODE_OPTIONS|PYTHONSTARTUP|PERL5OPT|RUBYOPT|ELECTRON_.*|VSCODE_.*|SSH_AUTH_SOCK|SSH_ASKPASS|GIT_ASKPASS|TILLER_HOME)$/;

type Variables = Readonly<Record<string, string | undefined>>;

/** In the order of the seeds: inherit, leave out, set, keep only; then what is forced. */
export function commandEnvironment(
  host: Variables,
  { inherit, exclude, set, includeOnly }: EnvironmentSettings,
): Record<string, string> {
  const isExcluded = matcher(exclude);
  const isWanted = includeOnly.length === 0 ? () => true : matcher(includeOnly);
  const isInherited = (name: string) =>
    inherit !== 'none' && (inherit === 'all' || CORE.has(name.toUpperCase())) && !isExcluded(name);
  const inherited = only(withoutSecrets(host), isInherited);
  return { ...only({ ...inherited, ...set }, isWanted), ...FORCED };
}

/** What anybody's program may see of an environment. */
export function withoutSecrets(host: Variables): Record<string, string> {
  return only(host, (name) => !SECRET_WORDS.test(name) && !LOADERS.test(name));
}

function only(variables: Variables, isWanted: (name: string) => boolean): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    if (value !== undefined && isWanted(name)) kept[name] = value;
  }
  return kept;
}

/** Names with `*` and `?`, in whatever case. */
function matcher(patterns: readonly string[]): (name: string) => boolean {
  const expressions = patterns.map((pattern) => {
    const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i');
  });
  return (name) => expressions.some((expression) => expression.test(name));
}
