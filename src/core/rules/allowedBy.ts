import { hostsOfRule, isAboutHosts } from '../policy/hosts.ts';
import type { LoadedRules } from '../policy/rules.ts';
import type { Rule } from '../../protocol/policy.ts';

/** Separates the allowing rules about commands from the hosts that rules allow. */
export function allowedBy(rules: LoadedRules): {
  readonly commands: readonly Rule[];
  readonly hosts: readonly string[];
} {
  const allowing = rules.map(({ rule }) => rule).filter(({ decision }) => decision === 'allow');
  return {
    commands: allowing.filter(({ pattern }) => !isAboutHosts(pattern)),
    hosts: allowing.filter(({ pattern }) => isAboutHosts(pattern)).flatMap(({ pattern }) => hostsOfRule(pattern)),
  };
}
