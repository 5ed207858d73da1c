/**
 * What a command gets of our environment. Variables that make programs wait, page or colour are forced; secrets and
 * loader tricks are left out (codex-behaviour.md §4.1 recommends filtering, reference/sandbox.md §7 names the loaders).
 */

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

const SECRET_WORDS = /KEY|SECRET|TOKEN|PASSWORD|PASSWD|CREDENTIAL/i;
const LOADERS =
  /^(LD_.*|DYLD_.*|BASH_ENV|ENV|NODE_OPTIONS|PROMPT_COMMAND|ELECTRON_RUN_AS_NODE|VSCODE_.*|SSH_AUTH_SOCK|GIT_ASKPASS|TILLER_HOME)$/;

export function commandEnvironment(host: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return { ...withoutSecrets(host), ...FORCED };
}

/** What anybody's program may see of an environment. */
export function withoutSecrets(host: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (value !== undefined && !SECRET_WORDS.test(name) && !LOADERS.test(name)) kept[name] = value;
  }
  return kept;
}
