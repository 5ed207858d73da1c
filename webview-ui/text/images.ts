/** Maximum size of an image in a message, and the way to scale one down. */
import { IMAGE_TYPES } from '../../src/protocol/imageLimits.ts';

/** `side`: pixels of the longer side; models scale larger images down to about this. `bytes`: of the encoded image. */
export const IMAGE_SIZE = { side: 1_568, bytes: 1_500_000 } as const;
/** Pixels of the longer side of a thumbnail. */
export const THUMBNAIL_SIDE = 96;

const SENT_TYPES: readonly string[] = IMAGE_TYPES;

export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the size of an image scaled down to a square of `side`: same proportions, at least one pixel, never larger
 * than the image.
 */
export function fitted({ width, height }: PixelSize, side: number): PixelSize {
  const factor = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}

/** Returns true if an image is small enough to be sent unchanged. */
export function isSmallEnough(type: string, bytes: number, { width, height }: PixelSize): boolean {
  return SENT_TYPES.includes(type) && bytes <= IMAGE_SIZE.bytes && Math.max(width, height) <= IMAGE_SIZE.side;
}
