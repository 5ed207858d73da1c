import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitted, IMAGE_SIZE, isSmallEnough } from '../../webview-ui/text/images.ts';

test('an image is scaled down to its longer side, never up, and keeps its proportions', () => {
  expect(fitted({ width: 3_000, height: 1_500 }, 1_568)).toEqual({ width: 1_568, height: 784 });
  expect(fitted({ width: 40, height: 20 }, 1_568)).toEqual({ width: 40, height: 20 });
  expect(fitted({ width: 100_000, height: 1 }, 96)).toEqual({ width: 96, height: 1 });
  const side = fc.integer({ min: 1, max: 20_000 });
  fc.assert(
    fc.property(side, side, side, (width, height, most) => {
      const size = fitted({ width, height }, most);
      expect(Math.max(size.width, size.height)).toBeLessThanOrEqual(Math.max(1, most));
      expect(Math.min(size.width, size.height)).toBeGreaterThanOrEqual(1);
      expect(size.width).toBeLessThanOrEqual(width);
    }),
  );
});

test('an image is sent as it is only in a type that servers take, and within the limits', () => {
  const size = { width: 100, height: 100 };
  expect(isSmallEnough('image/png', 1_000, size)).toBe(true);
  expect(isSmallEnough('image/bmp', 1_000, size)).toBe(false);
  expect(isSmallEnough('image/png', IMAGE_SIZE.bytes + 1, size)).toBe(false);
  expect(isSmallEnough('image/png', 1_000, { width: 10, height: IMAGE_SIZE.side + 1 })).toBe(false);
});
