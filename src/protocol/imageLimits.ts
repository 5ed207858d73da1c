/** The limits of images that are read. The panel, the host and core use the same ones. */

/**
 * `bytes`: the limit of file reading and of the known servers. `pixels`: the limit above which image libraries refuse
 * an image as a decompression bomb.
 */
export const IMAGE_LIMITS = { bytes: 20 * 1024 * 1024, pixels: 100_000_000 } as const;

/** The media types that every server accepts. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];
