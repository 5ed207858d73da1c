/** Lines for a user who watches the command line at work. */
import type { EventMsgOf } from '../protocol/event.ts';
import type { TurnItem } from '../protocol/item.ts';
import { traitsOf } from '../protocol/itemTraits.ts';
import { inOneLine } from '../protocol/text/truncate.ts';

/** Maximum characters of a line. */
const LONGEST_LINE = 160;

const LETTERS = { add: 'A', update: 'M', delete: 'D' } as const;

/** Returns the line about a command when it starts; `undefined` for other items, which are reported when they end. */
export function startLine(item: TurnItem): string | undefined {
  return item.type === 'command_execution' ? `$ ${inOneLine(item.command, LONGEST_LINE)}` : undefined;
}

/** Returns the lines about an item that has ended. */
export function endLines(item: TurnItem): readonly string[] {
  if (item.status === 'declined') return [];
  if (item.type === 'command_execution') return item.exitCode ? [`exit code ${item.exitCode}`] : [];
  if (item.type === 'agent_message') return [];
  const act = traitsOf(item).act(item, '');
  const outcome = item.status === 'completed' ? '' : ` (${item.status})`;
  if (act?.type === 'patch') {
    return act.files.map(({ path, kind }) => inOneLine(`${LETTERS[kind]} ${path}${outcome}`, LONGEST_LINE));
  }
  return act?.type === 'tool' ? [inOneLine(`${act.tool}${outcome}`, LONGEST_LINE)] : [];
}

/** Returns the sentence about a request that was denied because there is no user to answer it. */
export function unansweredLine({ command, changes, tool, reason }: EventMsgOf<'approval_requested'>): string {
  const paths = changes?.map(({ path }) => path).join(', ');
  const what = command ?? (paths === undefined ? undefined : `a patch of ${paths}`) ?? tool?.name ?? 'a call';
  return `Not done, because it needs approval and nobody can be asked: ${inOneLine(what, LONGEST_LINE)} (${reason.text})`;
}

/** Follows the first of these sentences. */
export const APPROVAL_REMEDY = 'Rules in rules.json, --sandbox and --approval-policy set what needs approval.';
