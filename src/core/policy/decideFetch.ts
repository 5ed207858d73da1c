/** Decides whether `fetch_url` may get an address (docs/decisions/0031). Pure. */
import { commandsMayConnect, type ApprovalPolicy, type SandboxPolicy } from '../../protocol/policy.ts';
import { decidingRule, matchRules, ruleReason } from './matchRules.ts';
import type { Argv } from './parseScript.ts';
import type { ApprovalRequirement } from './requirement.ts';
import type { LoadedRules } from './rules.ts';

export interface FetchRequest {
  readonly url: URL;
  /** The host is an address or a name of this machine or of a private network (`Web.isPrivate`). */
  readonly isPrivate: boolean;
  readonly approvalPolicy: ApprovalPolicy;
  readonly sandboxPolicy: SandboxPolicy;
  readonly rules: LoadedRules;
}

export interface FetchDecision {
  readonly requirement: ApprovalRequirement;
  readonly matchedRules: LoadedRules;
  /**
   * The host is private by its name, and a rule of the user names it. A public name never leads to a private address: a
   * rule for it does not cover this machine, and its owner decides where it leads.
   */
  readonly mayBePrivate: boolean;
}

/** The words that rules match: `fetch_url https://docs.rs /zod/latest?x=1`. A rule for a host has the first two. */
export function fetchWords({ origin, pathname, search }: URL): Argv {
  return ['fetch_url', origin, `${pathname}${search}`];
}

/** Decides about one address by the rules, and where none matches by the policies. */
export function decideFetch({ url, isPrivate, approvalPolicy, sandboxPolicy, rules }: FetchRequest): FetchDecision {
  const words = fetchWords(url);
  const matchedRules = matchRules(rules, words);
  const mayBePrivate =
    isPrivate && matchedRules.some(({ rule }) => rule.pattern.length > 1 && rule.decision !== 'forbidden');
  return { requirement: requirementOf(), matchedRules, mayBePrivate };

  function requirementOf(): ApprovalRequirement {
    const deciding = decidingRule(matchedRules);
    if (deciding?.rule.decision === 'forbidden') return { type: 'forbidden', reason: ruleReason(deciding) };
    if (isPrivate && !mayBePrivate) {
      return { type: 'forbidden', reason: policyReason('private-address', privateText(url)) };
    }
    if (deciding?.rule.decision === 'allow') {
      return { type: 'skip', bypassSandbox: false, reason: ruleReason(deciding) };
    }
    if (approvalPolicy === 'never')
      return withoutAsking(url, deciding !== undefined || !commandsMayConnect(sandboxPolicy));
    if (deciding !== undefined) return { type: 'needs_approval', reason: ruleReason(deciding), parts: [] };
    return {
      type: 'needs_approval',
      reason: policyReason('fetch-host', `No rule allows ${url.host}, and the host receives this address.`),
      parts: [],
      proposedRule: { pattern: words.slice(0, 2), decision: 'allow' },
    };
  }
}

/** The reason why a host that is private by its name is refused, as a sentence for the model and the user. */
function privateText({ host, origin }: URL): string {
  return `${host} is on this machine or in a private network, which is fetched only when a rule names it: ["fetch_url", "${origin}"].`;
}

function withoutAsking({ host }: URL, isRefused: boolean): ApprovalRequirement {
  const text = isRefused
    ? `Nothing may be fetched from ${host} unasked, and the approval policy never asks.`
    : 'Commands may use the network, too.';
  const reason = policyReason(isRefused ? 'never-asks' : 'network-allowed', text);
  return isRefused ? { type: 'forbidden', reason } : { type: 'skip', bypassSandbox: false, reason };
}

function policyReason(id: string, text: string) {
  return { source: 'policy' as const, id, text };
}
