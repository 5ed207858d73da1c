/** The history after a compaction (docs/reference/codex-behaviour.md §8). */
import { type MessageItem, type ResponseItem, textOf } from '../../protocol/responseItem.ts';
import { imagesIn } from '../history/images.ts';
import { summaryMessage } from '../prompt/compaction.ts';
import { isUsersOwn, userText } from '../prompt/notices.ts';
import { withoutMiddle } from '../util/tokens.ts';
import { roughTokens } from './contextSize.ts';

/** Tokens of the user's messages that are kept unchanged. */
const KEPT_MESSAGES = 20_000;
/** Share of the window: in a small one the messages must leave room for the work. */
const KEPT_PART = 0.25;
const LEAST_KEPT = 1000;
/** A shorter piece of a message carries no information. */
const LEAST_PIECE = 50;

/** Tokens of the user's messages that a compaction keeps in a window of this size; `null`: unknown. */
export function keptMessageTokens(window: number | null): number {
  if (window === null) return KEPT_MESSAGES;
  return Math.max(LEAST_KEPT, Math.min(KEPT_MESSAGES, Math.floor(window * KEPT_PART)));
}

/**
 * The current initial context; the user's messages, the newest within `budget` tokens, the one that does not fit cut
 * in its middle; and the summary. The rest is removed: answers, reasoning, calls, outputs, earlier summaries, notices.
 */
export function compactedHistory(
  items: readonly ResponseItem[],
  replacement: { readonly context: readonly ResponseItem[]; readonly summary: string; readonly budget: number },
): readonly ResponseItem[] {
  const { context, summary, budget } = replacement;
  return [...context, ...latestMessages(items, budget), summaryMessage(summary)];
}

function latestMessages(items: readonly ResponseItem[], budget: number): readonly MessageItem[] {
  const kept: MessageItem[] = [];
  let room = budget;
  for (const item of items.toReversed()) {
    if (item.type !== 'message' || !isUsersOwn(item)) continue;
    const tokens = roughTokens([item]);
    if (tokens <= room) {
      kept.unshift(item);
      room -= tokens;
      continue;
    }
    if (room >= LEAST_PIECE) kept.unshift(cutMessage(item, room));
    break;
  }
  return kept;
}

/** Images are removed where the text has to be cut. */
function cutMessage(item: MessageItem, tokens: number): MessageItem {
  const images = imagesIn(item).length;
  const leftOut = images === 0 ? '' : `\n[${images === 1 ? 'an image' : `${images} images`} left out]`;
  return userText(withoutMiddle(textOf(item.content), tokens) + leftOut);
}
