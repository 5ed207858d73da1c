/**
 * The environment variables of a command. Variables that make programs wait, page or colour are forced; secrets,
 * variables that load code and those that lead into VS Code are left out (codex-behaviour.md §4.1 recommends filtering,
 * reference/sandbox.md §7 names the loaders).
 */
import type { EnvironmentSettings } from '../../protocol/settings.ts';
import type { SecretRedactor } from '../util/secretRedactor.ts';

/** Makes programs print plain text and not wait for a key (codex-behaviour.md §4.1). */
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

/** Variables that `inherit: core` keeps: Codex's list, and those without which no Windows program starts. */
const CORE = new Set(
  'HOME LOGNAME PATH SHELL USER USERNAME TMPDIR TEMP TMP SYSTEMROOT WINDIR COMSPEC PATHEXT USERPROFILE'.split(' '),
);

const SECRET_WORDS = /KEY|SECRET|TOKEN|PASSWORD|PASSWD|CREDENTIAL/i;
/** Variables that make programs run code, or that lead to an editor, an agent or TILLER_HOME. */
const LOADERS =
  /^(LD_.*|DYLD_.*|BASH_ENV|ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|NODE_OPTIONS|PYTHONSTARTUP|PERL5OPT|RUBYOPT|ELECTRON_.*|VSCODE_.*|SSH_AUTH_SOCK|SSH_ASKPASS|GIT_ASKPASS|TILLER_HOME)$/;

/** An address with a password in it, as databases, registries and proxies use them: `scheme://user:password@…`. */
const ADDRESS_WITH_PASSWORD = /[a-z][a-z0-9+.-]*:\/\/[^\s/?#@:]*:[^\s/@]+@/i;

type Variables = Readonly<Record<string, string | undefined>>;

/** Keys that Tiller holds: a variable whose value contains one is never inherited, whatever its name. */
type HeldKeys = Pick<SecretRedactor, 'isIn'>;

/** Applies the settings in Codex's order (inherit, exclude, set, include only), then the forced variables. */
export function commandEnvironment(
  host: Variables,
  { inherit, keep, exclude, set, includeOnly }: EnvironmentSettings,
  held: HeldKeys,
): Record<string, string> {
  const [isKept, isExcluded] = [matcher(keep), matcher(exclude)];
  const isWanted = includeOnly.length === 0 ? () => true : matcher(includeOnly);
  const isOffered = (name: string) => inherit === 'all' || (inherit === 'core' && CORE.has(name.toUpperCase()));
  const isInherited = (name: string) => (isOffered(name) || isKept(name)) && !isExcluded(name);
  const inherited = only(withoutSecrets(host, keep, held), isInherited);
  return { ...only({ ...inherited, ...set }, isWanted), ...FORCED };
}

/** Removes secrets from an environment, except the variables that the user listed in `keep`. */
export function withoutSecrets(host: Variables, keep: readonly string[], held: HeldKeys): Record<string, string> {
  const isKept = matcher(keep);
  return only(host, (name, value) => isKept(name) || !(isSecretVariable(name, value) || held.isIn(value)));
}

/** True where the name or the value of a variable is that of a secret. */
export function isSecretVariable(name: string, value: string): boolean {
  return SECRET_WORDS.test(name) || LOADERS.test(name) || ADDRESS_WITH_PASSWORD.test(value);
}

function only(variables: Variables, isWanted: (name: string, value: string) => boolean): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    if (value !== undefined && isWanted(name, value)) kept[name] = value;
  }
  return kept;
}

/** Matches names against patterns with `*` and `?`, ignoring case. */
function matcher(patterns: readonly string[]): (name: string) => boolean {
  const expressions = patterns.map((pattern) => {
    const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i');
  });
  return (name) => expressions.some((expression) => expression.test(name));
}
