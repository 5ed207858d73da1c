/**
 * The environment in which git may count as known safe (codex-behaviour.md §6.7), because a repository's own
 * configuration names programs that git would start. Code that runs a command whose approval was skipped as
 * `known-safe` must add these variables.
 *
 * Not covered, because the repository chooses their names: clean filters, textconv drivers and `diff.external`. Where a
 * repository's configuration contains one, git does not count as known safe (core/tools/gitTrust.ts).
 */
const OVERRIDES: readonly (readonly [key: string, value: string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['log.showSignature', 'false'],
  ['diff.ignoreSubmodules', 'dirty'],
  ['safe.bareRepository', 'explicit'],
];

export const GIT_HARDENING_ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_CONFIG_COUNT: String(OVERRIDES.length),
  ...Object.fromEntries(
    OVERRIDES.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
  GIT_PAGER: 'cat',
  /** Reading must neither write the index nor fetch missing objects. */
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_TERMINAL_PROMPT: '0',
};
