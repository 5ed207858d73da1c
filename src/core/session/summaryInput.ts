/** The input of a summary when the whole history is too long. */
import {
  isToolCall,
  isToolCallOutput,
  type MessageItem,
  type ResponseItem,
  textOf,
  type ToolCallItem,
} from '../../protocol/responseItem.ts';
import { normalize } from '../history/normalize.ts';
import { isSummaryMessage } from '../prompt/compaction.ts';
import { userText } from '../prompt/notices.ts';
import { assertNever } from '../util/assertNever.ts';
import { withoutMiddle } from '../util/tokens.ts';
import { roughTokens } from './contextSize.ts';

/** Limits in tokens of one output or answer, tried in this order. */
const LONGEST_TEXTS = [2000, 500, 150] as const;

/** Limit in tokens of one message or call, when no round can be removed any more. */
const LONGEST_MESSAGE = 1000;
/** Share that a shorter form must save to be worth another request. */
const LEAST_SAVED = 0.1;

/**
 * Shortens the history until it `fits`: outputs and answers are cut in their middle first, then the oldest rounds are
 * removed, then messages and calls are cut. A history that still does not fit is returned as short as it got, for the
 * server to refuse.
 */
export function fitting(
  items: readonly ResponseItem[],
  fits: (items: readonly ResponseItem[]) => boolean,
): readonly ResponseItem[] {
  let left = items;
  for (const longest of LONGEST_TEXTS) {
    if (fits(left)) return left;
    left = items.map((item) => shortened(item, longest));
  }
  while (!fits(left)) {
    const fewer = withoutOldest(left) ?? withShortMessages(left);
    if (fewer === undefined) return left;
    left = fewer;
  }
  return left;
}

/**
 * Returns the history in the next shorter form, after a server has refused this one as too long; `undefined` when there
 * is none.
 */
export function shorter(items: readonly ResponseItem[]): readonly ResponseItem[] | undefined {
  const withTextsOf = (longest: number) =>
    savesEnough(
      items,
      items.map((item) => shortened(item, longest)),
    );
  const [first, ...others] = LONGEST_TEXTS;
  let found = withTextsOf(first) ?? withoutOldest(items);
  for (const longest of others) found ??= withTextsOf(longest);
  return found ?? withShortMessages(items);
}

/** Turns calls into text, and cuts all messages except an earlier summary. */
function withShortMessages(items: readonly ResponseItem[]): readonly ResponseItem[] | undefined {
  const short = (withCallsAsText(items) ?? items).map((item) =>
    item.type === 'message' && !isSummaryMessage(item)
      ? { ...item, content: shortTexts(item.content, LONGEST_MESSAGE) }
      : item,
  );
  return savesEnough(items, short);
}

function savesEnough(items: readonly ResponseItem[], short: readonly ResponseItem[]) {
  return roughTokens(short) <= roughTokens(items) * (1 - LEAST_SAVED) ? short : undefined;
}

function shortened(item: ResponseItem, tokens: number): ResponseItem {
  if (item.type === 'message' && item.role === 'assistant')
    return { ...item, content: shortTexts(item.content, tokens) };
  if (!isToolCallOutput(item)) return item;
  const { output } = item;
  return { ...item, output: typeof output === 'string' ? withoutMiddle(output, tokens) : shortTexts(output, tokens) };
}

function shortTexts<Part extends { readonly type: string; readonly text?: string }>(
  parts: readonly Part[],
  tokens: number,
): Part[] {
  return parts.map((part) => (part.text === undefined ? part : { ...part, text: withoutMiddle(part.text, tokens) }));
}

/** Share of the history that is removed at a time. */
const DROPPED_PART = 0.1;

/**
 * The history without its oldest part: at least a tenth of it, in whole rounds, so that a call and its output, and the
 * reasoning before it, are removed together. An earlier summary stays: it replaces all earlier items. `undefined` when
 * no item can be removed.
 */
export function withoutOldest(items: readonly ResponseItem[]): readonly ResponseItem[] | undefined {
  const least = roughTokens(items) * DROPPED_PART;
  const summaries: ResponseItem[] = [];
  let dropped = 0;
  for (let end = 1; end < items.length; end++) {
    const oldest = items.slice(end - 1, end);
    if (oldest.some(isSummary)) summaries.push(...oldest);
    else dropped += roughTokens(oldest);
    if (dropped > 0 && dropped >= least && beginsRound(items, end))
      return normalize([...summaries, ...items.slice(end)]);
  }
  return undefined;
}

function isSummary(item: ResponseItem): boolean {
  return item.type === 'message' && isSummaryMessage(item);
}

/** A round begins with a message to the model, or with the next response after an output. */
function beginsRound(items: readonly ResponseItem[], index: number): boolean {
  const item = items[index];
  const before = items[index - 1];
  if (item === undefined || before === undefined || isToolCallOutput(item)) return false;
  return isToolCallOutput(before) || (item.type === 'message' && item.role !== 'assistant');
}

/**
 * Returns the history with calls and outputs as text: some servers (Bedrock behind a gateway) refuse calls in a request
 * that offers no tools. `undefined` when there are none.
 */
export function withCallsAsText(items: readonly ResponseItem[]): readonly ResponseItem[] | undefined {
  if (!items.some(isToolCall)) return undefined;
  return items
    .filter((item) => item.type !== 'reasoning')
    .map((item) => {
      if (isToolCall(item)) return noteOf(`[Call of ${describeCall(item)}]`);
      return isToolCallOutput(item) ? userText(`[Output of the call: ${textOf(item.output)}]`) : item;
    });
}

function noteOf(text: string): MessageItem {
  return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
}

function describeCall(call: ToolCallItem): string {
  switch (call.type) {
    case 'function_call':
      return `${call.name}: ${call.arguments}`;
    case 'custom_tool_call':
      return `${call.name}: ${call.input}`;
    case 'local_shell_call':
      return `shell: ${call.action.command.join(' ')}`;
    default:
      return assertNever(call);
  }
}
