/** The texts of a compaction: the prompt for the summary, and the message with it (docs/reference/codex-behaviour.md §8). */
import { type MessageItem, textOf } from '../../protocol/responseItem.ts';
import { userText } from './notices.ts';

/** The prompt for the summary unless `compaction.prompt` is set. */
const SUMMARY_PROMPT = `Write a summary of this thread. Another model will continue the work from it. Besides the summary it sees the latest messages of the user, and nothing else: no outputs of tools, no files, no earlier answers.

Include, where it applies:
- what the user wants, with every constraint and preference that they stated
- what was done and what was decided, with the reasons that still matter
- what was found out and will be needed again: paths, names, commands, values, errors, quoted exactly
- what remains to be done, in order, and what was being done last

If the thread begins with a summary, carry over all of it that still matters. Be concise and concrete. Answer with the summary only, and call no tools.`;

const REQUEST_OPENING = '<summary_request>';
const SUMMARY_OPENING = '<thread_summary>';

/** Replaces a summary without text. */
const NO_SUMMARY = '(no summary available)';

/** The request for the summary; an empty `prompt` selects Tiller's own. It is never part of the history. */
export function summaryRequest(prompt: string): MessageItem {
  return userText(`${REQUEST_OPENING}\n${prompt.trim() || SUMMARY_PROMPT}\n</summary_request>`);
}

/** True for the text of a message that `summaryRequest` has made. */
export function isSummaryRequest(text: string): boolean {
  return text.startsWith(REQUEST_OPENING);
}

/** The message with the summary, which the model reads in place of the compacted history. */
export function summaryMessage(summary: string): MessageItem {
  const introduction =
    'The earlier part of this thread was replaced by this summary, which a model wrote that worked on it. The messages before it are the latest of the user. Build on what it reports, and do not do again what is done.';
  return userText(`${SUMMARY_OPENING}\n${introduction}\n\n${summary.trim() || NO_SUMMARY}\n</thread_summary>`);
}

/** The summary in such a message; `undefined` for any other text. */
export function summaryIn(text: string): string | undefined {
  if (!text.startsWith(SUMMARY_OPENING)) return undefined;
  const end = text.lastIndexOf('\n</thread_summary>');
  return text.slice(text.indexOf('\n\n') + 2, end < 0 ? undefined : end);
}

/** True for a message that `summaryMessage` has made, also in the history of an earlier process. */
export function isSummaryMessage(item: MessageItem): boolean {
  return item.role === 'user' && textOf(item.content).startsWith(SUMMARY_OPENING);
}
