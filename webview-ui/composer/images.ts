/** Prepares images that the user pastes, drops or selects: scales them down if necessary, and makes a thumbnail. */
import { IMAGE_LIMITS } from '../../src/protocol/imageLimits.ts';
import type { UserImage } from '../../src/protocol/item.ts';
import type { HostMessage } from '../../src/protocol/wire.ts';
import { attach } from '../actions.ts';
import { t } from '../l10n.ts';
import { attachProblem, settings } from '../store.ts';
import { bytes as bytesInWords } from '../text/format.ts';
import { fitted, IMAGE_SIZE, isSmallEnough, type PixelSize, THUMBNAIL_SIDE } from '../text/images.ts';
import { announcement } from '../view.ts';

type Prepared =
  | { readonly type: 'image'; readonly image: UserImage }
  | { readonly type: 'refused'; readonly reason: string };

/** Attaches images one after the other. Resolves with a sentence for each image that was refused. */
export async function attachImages(
  files: readonly { readonly blob: Blob; readonly name: string }[],
): Promise<string[]> {
  const { takesImages = false, model = null } = settings.peek() ?? {};
  if (!takesImages && files.length > 0) return [t('{0} takes no images.', model ?? t('This model'))];
  const refused: string[] = [];
  for (const { blob, name } of files) {
    const prepared = await prepareImage(blob, name);
    if (prepared.type === 'refused') {
      refused.push(t('{0} was not attached: {1}', name, prepared.reason));
      continue;
    }
    attach([{ part: prepared.image, inText: false }]);
    announcement.value = t('Attached {0}', name);
  }
  return refused;
}

/** Shows sentences below the field, after those that are already shown. */
export function showRefused(sentences: readonly string[]): void {
  if (sentences.length > 0) attachProblem.value = [attachProblem.peek() ?? '', ...sentences].join(' ').trim();
}

/** Prepares one image. Never rejects: a refusal is part of the result. */
async function prepareImage(blob: Blob, name: string): Promise<Prepared> {
  if (blob.size > IMAGE_LIMITS.bytes) {
    return { type: 'refused', reason: t('it is larger than {0}', bytesInWords(IMAGE_LIMITS.bytes)) };
  }
  if (blob.type === 'image/svg+xml') return { type: 'refused', reason: t('it is an SVG; models take pixels only') };
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(blob);
  } catch {
    return { type: 'refused', reason: t('it is not an image that can be read') };
  }
  try {
    const size = { width: bitmap.width, height: bitmap.height };
    if (size.width * size.height > IMAGE_LIMITS.pixels) return { type: 'refused', reason: t('it has too many pixels') };
    const isKept = isSmallEnough(blob.type, blob.size, size);
    const sent = isKept ? { blob, ...size } : await scaled(bitmap, fitted(size, IMAGE_SIZE.side));
    const small = await draw(bitmap, fitted(size, THUMBNAIL_SIDE), 'image/webp');
    const { width, height } = sent;
    const [imageUrl, thumbnail] = await Promise.all([dataUrlOf(sent.blob), dataUrlOf(small)]);
    const id = await hashOf(imageUrl);
    const bytes = sent.blob.size;
    return { type: 'image', image: { type: 'image', imageUrl, id, name, thumbnail, width, height, bytes } };
  } catch {
    return { type: 'refused', reason: t('it could not be made smaller') };
  } finally {
    bitmap.close();
  }
}

/**
 * Scales an image and encodes it as PNG, which keeps text sharp. If that is too large, encodes it as JPEG, in smaller
 * sizes until it fits.
 */
async function scaled(bitmap: ImageBitmap, size: PixelSize): Promise<PixelSize & { readonly blob: Blob }> {
  const png = await draw(bitmap, size, 'image/png');
  if (png.size <= IMAGE_SIZE.bytes) return { blob: png, ...size };
  for (let side = Math.max(size.width, size.height); ; side = Math.round(side * 0.75)) {
    const smaller = fitted(size, side);
    const blob = await draw(bitmap, smaller, 'image/jpeg');
    if (blob.size <= IMAGE_SIZE.bytes) return { blob, ...smaller };
  }
}

function draw(bitmap: ImageBitmap, { width, height }: PixelSize, type: string): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The page cannot draw.');
  if (type === 'image/jpeg') {
    // JPEG has no transparency, so the background is white.
    context.fillStyle = '#fff';
    context.fillRect(0, 0, width, height);
  }
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, width, height);
  return canvas.convertToBlob({ type, quality: 0.85 });
}

function dataUrlOf(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      if (typeof reader.result === 'string') resolve(reader.result);
    });
    reader.addEventListener('error', () => reject(reader.error ?? new Error('It cannot be read.')));
    reader.readAsDataURL(blob);
  });
}

/** Resolves with the SHA-256 hash of a text in hexadecimal digits. */
export async function hashOf(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Attaches an image file that the host has read. */
export function receiveImageFile(message: HostMessage): void {
  if (message.type !== 'image_file') return;
  const { name, mediaType, data } = message;
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  void attachImages([{ blob: new Blob([bytes], { type: mediaType }), name }]).then(showRefused);
}
