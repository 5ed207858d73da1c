/**
 * Converts results of tools of others to the form that a thread can keep: images that are data and fit, texts within a
 * budget.
 */
import { IMAGE_LIMITS } from '../../protocol/imageLimits.ts';
import type { ToolContentItem } from '../../protocol/item.ts';
import { estimateTokens, truncateMiddle } from '../util/tokens.ts';

/** An image from anywhere else would be loaded by the server of the model or by the panel. */
const IMAGE_DATA = /^data:image\/[\w.+-]+;base64,[\w+/=]+$/;
const LEFT_OUT = '[An image that is not a data: URL of an image was left out.]';

/**
 * Returns the content of a client or an extension; an image that is not a data URL, or does not fit, is replaced by a
 * sentence.
 */
export function safeContent(parts: readonly ToolContentItem[]): readonly ToolContentItem[] {
  const faultOf = imageLimit();
  return parts.map((part) => {
    if (part.type !== 'input_image') return part;
    const fault = faultOf(part.imageUrl) ?? (IMAGE_DATA.test(part.imageUrl) ? undefined : LEFT_OUT);
    return fault === undefined ? part : { type: 'input_text', text: fault };
  });
}

/**
 * Returns a function for the images of one result, asked in order: it returns the sentence that replaces an image with
 * which they would have more bytes together than one image may have. Every later request and the thread's file would
 * contain them.
 */
export function imageLimit(): (dataUrl: string) => string | undefined {
  let left = IMAGE_LIMITS.bytes;
  return (dataUrl) => {
    const bytes = Math.floor(dataUrl.length * BYTES_OF_BASE64);
    if (bytes > left) {
      return `[An image of ${bytes} bytes was left out: those of one result may have ${IMAGE_LIMITS.bytes} together.]`;
    }
    left -= bytes;
    return undefined;
  };
}

const BYTES_OF_BASE64 = 0.75;

/**
 * Texts share a budget in tokens, in their order; the last part has the number of tokens that did not fit
 * (codex-behaviour.md §5). Images stay.
 */
export function cutTexts(parts: readonly ToolContentItem[], budget: number): ToolContentItem[] {
  let left = budget;
  let omitted = 0;
  const kept = parts.flatMap((part): readonly ToolContentItem[] => {
    if (part.type !== 'input_text') return [part];
    if (left <= 0) {
      omitted++;
      return [];
    }
    const text = truncateMiddle(part.text, left);
    left -= Math.max(1, estimateTokens(part.text));
    return [{ ...part, text }];
  });
  if (omitted === 0) return kept;
  return [...kept, { type: 'input_text', text: `[${omitted} more texts were left out: the result is too long.]` }];
}

/** Returns the sentence for the model in place of data that it cannot read. */
export function dataNote(data: Uint8Array, mimeType: string): string {
  return `[${data.length} bytes of ${mimeType}, which are not passed on]`;
}
