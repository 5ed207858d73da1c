/** Findings of a review as text. */
import type { Finding, ReviewTarget } from '../codeReview.ts';
import type { UserInput } from '../item.ts';
import type { LineRange } from '../lineRange.ts';

/**
 * Returns the subject of a review, in a few words of English: for titles of threads, agents and messages to the model.
 */
export function reviewSubject(target: ReviewTarget): string {
  switch (target.type) {
    case 'uncommitted':
      return 'uncommitted changes';
    case 'branch':
      return `changes against ${target.branch}`;
    case 'commit':
      return target.title === undefined ? `commit ${target.commit}` : `commit ${target.commit}: ${target.title}`;
  }
}

/** Formats a finding for the model and for exports: `[P1] Title (src/a.ts:3-5)`, then the text. */
export function findingText({ title, body, priority, path, lines }: Finding): string {
  const level = priority === undefined ? '' : `[P${priority}] `;
  const place = path === undefined ? '' : ` (${path}${lines === undefined ? '' : `:${rangeText(lines)}`})`;
  return `${level}${title}${place}\n${body}`.trim();
}

/** Formats a range of lines: `3`, or `3-5`. */
export function rangeText({ first, last }: LineRange): string {
  return first === last ? `${first}` : `${first}-${last}`;
}

/**
 * Returns the message that asks the model to fix a finding: `request`, the finding, and its lines as an attachment.
 * Only the attachment has line numbers, because the lines may have moved since the review.
 */
export function fixFinding({ lines, quote, ...finding }: Finding, request: string): UserInput[] {
  const { path } = finding;
  const text: UserInput = { type: 'text', text: `${request}\n\n${findingText(finding)}` };
  if (path === undefined || lines === undefined) return [text];
  const name = `${path}:${rangeText(lines)}`;
  return [text, { type: 'mention', kind: 'selection', name, path, lines, ...(quote ? { quote } : {}) }];
}
