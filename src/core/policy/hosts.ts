/** Decides which hosts a command in the sandbox may reach (docs/decisions/0081). Pure; node/network/hostProxy.ts acts. */
import { type HostAndPort, parseHostAndPort, parseHostPattern, patternsCovering } from '../../protocol/hostPattern.ts';
import type { Rule } from '../../protocol/policy.ts';
import type { LoadedRules } from './rules.ts';
import type { HostLimits, HostReport } from '../ports.ts';

/** The first word of a rule about hosts: `["connect_host", "registry.npmjs.org"]`. No program has this name. */
export const HOST_RULE = 'connect_host';

/** The rule that allows these hosts. */
export function hostRule(hosts: readonly [string, ...string[]]): Rule {
  return { pattern: [HOST_RULE, hosts.length === 1 ? hosts[0] : [...hosts]], decision: 'allow' };
}

/**
 * The limits of a command by the setting `sandbox.allowedHosts` and the rules in force; `undefined` when no host is
 * allowed, so that no proxy is needed. A rule that asks refuses like one that forbids until the user has answered
 * (`once`).
 */
export function hostLimits(
  setting: readonly string[],
  rules: LoadedRules,
  once: readonly string[] = [],
): HostLimits | undefined {
  const allowed = [...setting.flatMap(patternOf), ...patternsIn(rules, ['allow'])];
  if (allowed.length === 0 && once.length === 0) return undefined;
  return { allowed: [...new Set(allowed)], denied: patternsIn(rules, ['prompt', 'forbidden']), once };
}

/** True if a rule forbids a host, as `host:port` or a pattern: the user is not asked about it. */
export function isForbidden(host: string, rules: LoadedRules): boolean {
  const forbidden = patternsIn(rules, ['forbidden']);
  const targets = [host, `${host}:80`, `${host}:443`].flatMap((text) => parseHostAndPort(text) ?? []);
  return targets.some((target) => covers(forbidden, target));
}

export function mayReach({ allowed, denied, once }: HostLimits, target: HostAndPort): boolean {
  return covers(once, target) || (covers(allowed, target) && !covers(denied, target));
}

/**
 * True if an address on this machine or in a private network may be connected to: it is listed itself, or it is where
 * a private name leads that is listed by its whole name. A public name never leads there, because its owner decides
 * where it leads. `address`: as URLs write it.
 */
export function mayBePrivate(
  limits: HostLimits,
  { host, port }: HostAndPort,
  address: string,
  isPrivateName: boolean,
): boolean {
  const listed = [...limits.allowed, ...limits.once];
  const exact = (name: string) => patternsCovering({ host: name, port }).filter((pattern) => !pattern.startsWith('*'));
  return (
    exact(address).some((it) => listed.includes(it)) || (isPrivateName && exact(host).some((it) => listed.includes(it)))
  );
}

/** A pattern of one word, as `["connect_host"]`, has no effect if it allows, and covers every host if it does not. */
const EVERY_HOST = '*';

function covers(patterns: readonly string[], target: HostAndPort): boolean {
  return patterns.includes(EVERY_HOST) || patternsCovering(target).some((pattern) => patterns.includes(pattern));
}

function patternsIn(rules: LoadedRules, decisions: readonly Rule['decision'][]): readonly string[] {
  return rules.flatMap(({ rule: { pattern, decision } }) => {
    if (!decisions.includes(decision) || !isAboutHosts(pattern)) return [];
    return pattern.length === 1 && decision !== 'allow' ? [EVERY_HOST] : hostsOfRule(pattern);
  });
}

type Pattern = readonly (string | readonly string[])[];

/** True for the words of a rule about hosts, and not about commands. */
export function isAboutHosts([first = []]: Pattern): boolean {
  return [first].flat().includes(HOST_RULE);
}

/** The hosts in the words of a rule about hosts. */
export function hostsOfRule([, hosts = [], ...more]: Pattern): readonly string[] {
  return more.length > 0 ? [] : [hosts].flat().flatMap(patternOf);
}

function patternOf(text: string): readonly string[] {
  const parsed = parseHostPattern(text);
  return 'pattern' in parsed ? [parsed.pattern] : [];
}

/** Sentences for the user and the model about the hosts that a command was refused; none if it was refused none. */
export function hostNotes(report: HostReport | undefined): readonly string[] {
  if (report === undefined) return [];
  const { refused, misleading, problem } = report;
  return [
    ...(problem === undefined ? [] : [problem]),
    ...(refused.length === 0 ? [] : [`The sandbox refused these hosts, which are not allowed: ${refused.join(', ')}.`]),
    ...(misleading.length === 0
      ? []
      : [
          `The sandbox refused these allowed hosts, whose names lead to this machine or a private network: ${misleading.join(', ')}. The user can list the address in sandbox.allowedHosts, too.`,
        ]),
  ];
}
