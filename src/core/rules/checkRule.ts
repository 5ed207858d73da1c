import type { Rule } from '../../protocol/policy.ts';
import { banReason } from '../policy/bannedPrefix.ts';
import { badExample } from '../policy/rules.ts';

/** @throws Error with a message for the user when the rule is not allowed or its examples contradict it. */
export function checkRule(rule: Rule): void {
  const banned = banReason(rule);
  if (banned !== undefined) throw new Error(banned);
  const example = badExample(rule);
  if (example !== undefined) throw new Error(`The rule contradicts itself: ${example}.`);
}
