/** Sums a conversation up when Tiller compacts the thread: the requests, the commands, and the last answer. */
import { isSummaryRequest, summaryIn } from '../../../core/prompt/compaction.ts';
import type { Answer, Entry } from '../conversation.ts';
import { inOneLine } from './printed.ts';
import { spokenText } from './request.ts';
import { says } from './wording.ts';

/** Maximum requests, and maximum calls, in a summary: the newest. */
const MOST = 20;

/** `undefined` when the last message asks for something else. */
export function summaryOf(entries: readonly Entry[]): Answer | undefined {
  const last = entries.at(-1);
  if (last?.type !== 'user' || !last.texts.some(isSummaryRequest)) return undefined;
  const texts = entries.flatMap((entry) => (entry.type === 'user' ? [entry.texts] : []));
  const previous = texts.flatMap((parts) => summaryIn(parts.join('\n')) ?? []).at(-1);
  const isNew = (text: string) => text !== '' && previous?.includes(text) !== true;
  const asked = texts.map((parts) => inOneLine(spokenText(parts))).filter(isNew);
  const called = entries.flatMap((entry) => (entry.type === 'call' ? (describeCall(entry) ?? []) : []));
  const isMidway = summaryOfThisWork(entries) !== undefined;
  const answer = entries.findLast((entry) => entry.type === 'assistant')?.text;
  const parts = [
    ...(previous === undefined ? [] : [previous]),
    isMidway ? STARTED_OVER : '',
    section('The user asked', asked),
    section('What was run and changed', called),
    ...(answer === undefined || !isNew(answer) ? [] : [`**The last answer**\n\n${answer}`]),
  ];
  return says(parts.filter((part) => part !== '').join('\n\n'));
}

/** Stands in the summary of work that was begun again after a compaction in its middle. */
const STARTED_OVER = '**Started over** after a compaction.';

/**
 * Returns true for the second compaction. After the first one work begins again, because a script can read nothing from
 * a summary.
 */
export function isGivenUp(entries: readonly Entry[]): boolean {
  return summaryOfThisWork(entries)?.includes(STARTED_OVER) === true;
}

/** The summary after the last request: the thread was compacted during the work on it. */
function summaryOfThisWork(entries: readonly Entry[]): string | undefined {
  const asked = entries.findLastIndex((entry) => entry.type === 'user' && spokenText(entry.texts) !== '');
  const since = entries.slice(asked + 1);
  return since.flatMap((entry) => (entry.type === 'user' ? (summaryIn(entry.texts.join('\n')) ?? []) : [])).at(-1);
}

function section(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  return [`**${title}**\n`, ...lines.slice(-MOST).map((line) => `- ${line}`)].join('\n');
}

/** Returns the description of a command or a patch; `undefined` for other calls. */
function describeCall({ input }: Extract<Entry, { type: 'call' }>): string | undefined {
  const files = [...input.matchAll(/\*\*\* (?:Add|Update|Delete) File: ([^\n\\]+)/g)].map(([, file]) => `\`${file}\``);
  if (files.length > 0) return `a patch of ${files.join(', ')}`;
  const [, command] = /"(?:cmd|command)":"((?:[^"\\]|\\.)*)"/.exec(input) ?? [];
  return command === undefined ? undefined : `\`${inOneLine(command)}\``;
}
