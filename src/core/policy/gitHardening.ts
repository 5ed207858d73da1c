/**
 * The environment in which git may count as known safe (codex-behaviour.md §6.7): a repository's own configuration
 * names programs that git would start. Whoever runs a command that the policy skipped as `known-safe` adds these.
 *
 * Not covered, because their names are the repository's choice: clean filters, textconv drivers and `diff.external`.
 * Where a repository's configuration names such, git does not count as known safe (core/tools/gitTrust.ts).
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
  /** Reading must neither write the index nor fetch what is missing. */
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_TERMINAL_PROMPT: '0',
};
