import { type Finding, findingText, rangeText } from './codeReview.ts';
import type { UserInput } from './item.ts';

/** The message that has a finding fixed: `request`, the finding, and its lines as an attachment. */
export function fixFinding(finding: Finding, request: string): UserInput[] {
  const { path, lines } = finding;
  const text: UserInput = { type: 'text', text: `${request}\n\n${findingText(finding)}` };
  if (path === undefined || lines === undefined) return [text];
  return [text, { type: 'mention', kind: 'selection', name: `${path}:${rangeText(lines)}`, path, lines }];
}
