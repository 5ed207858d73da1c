/** Tokens of images, by the rule that docs/threads.md states. */
import { describe, expect, it } from 'vitest';
import { sizeOfItems, tokensOfImage } from '../../../src/core/session/contextSize.ts';
import type { ResponseItem } from '../../../src/protocol/responseItem.ts';
import { dataUrl, png } from '../../support/images.ts';

const image = (width: number, height: number) =>
  ({ type: 'input_image', image_url: dataUrl(png(width, height)) }) as const;

describe('an image', () => {
  it.each([
    [1, 1, 85 + 170],
    [512, 512, 85 + 170],
    [513, 512, 85 + 2 * 170],
    [768, 768, 85 + 4 * 170],
    [1024, 1024, 85 + 4 * 170],
    [2048, 4096, 85 + 6 * 170],
    [4096, 100, 85 + 4 * 170],
  ])('of %d × %d pixels counts by its tiles', (width, height, tokens) => {
    expect(tokensOfImage(image(width, height))).toBe(tokens);
  });

  it('in low detail counts 85 tokens, one elsewhere as 1024 × 1024 pixels, one that cannot be sent as a sentence', () => {
    expect(tokensOfImage({ ...image(4000, 4000), detail: 'low' })).toBe(85);
    expect(tokensOfImage({ type: 'input_image', image_url: 'https://x.example/a.png' })).toBe(85 + 4 * 170);
    expect(tokensOfImage({ type: 'input_image', image_url: 'data:image/png;base64,AAAA' })).toBe(20);
  });

  it('does not count by the length of its data, in messages and in outputs', () => {
    const heavy = { type: 'input_image', image_url: dataUrl(png(600, 600)) } as const;
    const items: ResponseItem[] = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look.' }, heavy] },
      { type: 'function_call_output', call_id: 'a', output: [heavy] },
    ];
    const { bytes, imageTokens } = sizeOfItems(items);
    expect(imageTokens).toBe(2 * (85 + 4 * 170));
    expect(bytes).toBeLessThan(250);
  });
});
