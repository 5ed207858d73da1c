import * as z from 'zod';
import type { TurnItemOf } from '../../../protocol/item.ts';
import { IMAGE_LIMITS, type ImageType } from '../../../protocol/imageLimits.ts';
import { inspectImage, isTurned } from '../../util/imageData.ts';
import { messageOf } from '../../util/fileErrors.ts';
import type { FunctionToolSpec } from '../../../protocol/toolSpec.ts';
import type { ToolContext, ToolHandler, ToolResult } from '../handler.ts';
import { parseArguments } from '../parseArguments.ts';
import type { FoundPlace } from './filePaths.ts';
import { failedRead, type GuardedRead, prepareRead, runRead } from './guardedRead.ts';
import { lazyObject } from '../../../protocol/lazyObject.ts';

const argumentsSchema = lazyObject(() => ({
  path: z.string().min(1),
  detail: z.enum(['low', 'high', 'original']).default('high'),
}));
type Arguments = z.infer<typeof argumentsSchema>;
type Detail = Arguments['detail'];
type Item = TurnItemOf<'image_view'>;

/**
 * In pixels. `high` is the size to which OpenAI scales every image before its models see it, so a larger one would only
 * be more bytes in each request; `low` is that for images of low detail
 * (developers.openai.com/api/docs/guides/images-vision).
 */
const BOUNDS: Readonly<Record<Exclude<Detail, 'original'>, { readonly longest: number; readonly shortest: number }>> = {
  high: { longest: 2048, shortest: 768 },
  low: { longest: 512, shortest: 512 },
};

/** Decoded, an image of this many pixels takes 200 MB. Larger ones are sent as they are. */
const MAX_DECODED_PIXELS = 50_000_000;

const SPEC: FunctionToolSpec = {
  type: 'function',
  name: 'view_image',
  description: 'Shows you an image file: PNG, JPEG, GIF or WebP.',
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Absolute, or relative to an open folder.' },
      detail: {
        type: 'string',
        enum: ['low', 'high', 'original'],
        description: 'high, the default: at most 2048 × 768 pixels. original: not scaled down.',
      },
    },
    required: ['path'],
    additionalProperties: false,
  },
};

/**
 * Sends an image file to the model (codex-behaviour.md §4.7). `images`: whether the model takes any; one that does not is
 * not offered the tool, and a call of it fails.
 */
export function viewImage(images: boolean): ToolHandler<Arguments, GuardedRead<Arguments, Item>> {
  return {
    names: ['view_image'],
    spec: images ? SPEC : undefined,
    isMutating: () => false,
    parse: (payload) => parseArguments(argumentsSchema, payload),
    prepare(args, context) {
      const itemOf = (path: string): Item => ({ id: context.itemId, type: 'image_view', status: 'in_progress', path });
      return prepareRead(args, args.path, itemOf, context);
    },
    async run(plan, _attempt, context) {
      const { args, found, item } = plan;
      if (!images) {
        const why = `${context.settings.model} takes no images, so it cannot see ${item.path}. Go on without it.`;
        return failedRead(item, why);
      }
      return runRead(plan, context, () => shown(item, found, args.detail, context));
    },
  };
}

async function shown(item: Item, found: FoundPlace, detail: Detail, context: ToolContext): Promise<ToolResult> {
  const { workspace, signal } = context;
  const bytes = await workspace.readBytes(found.place.target, { maxBytes: IMAGE_LIMITS.bytes, signal });
  const image = inspectImage(bytes);
  if (image.type === 'refused') return failedRead(item, `${item.path} cannot be shown: ${image.reason}.`);
  // Scaling would lose the orientation of the image.
  const fitted = isTurned(bytes) ? undefined : sizeFor(image, detail);
  let sent: Pick<Required<Item>, 'width' | 'height'> & { readonly bytes: Uint8Array };
  try {
    sent =
      fitted === undefined
        ? { bytes, width: image.width, height: image.height }
        : { bytes: await context.images.scale({ ...fitted, bytes }, signal), ...sizeOf(fitted) };
  } catch (error) {
    signal.throwIfAborted();
    return failedRead(item, `${item.path} cannot be shown: it cannot be decoded (${messageOf(error)}).`);
  }
  const url = `data:${image.mediaType};base64,${Buffer.from(sent.bytes).toString('base64')}`;
  const { width, height } = sent;
  return {
    output: [{ type: 'input_image', image_url: url, ...(detail === 'low' ? { detail } : {}) }],
    success: true,
    item: { ...item, status: 'completed', width, height },
  };
}

interface Fitted {
  readonly mediaType: 'image/png' | 'image/jpeg';
  readonly width: number;
  readonly height: number;
}

function sizeOf({ width, height }: Fitted) {
  return { width, height };
}

/** The size to scale the image down to; `undefined` for one that is sent as it is. GIF and WebP are never scaled. */
export function sizeFor(
  image: { readonly mediaType: ImageType; readonly width: number; readonly height: number },
  detail: Detail,
): Fitted | undefined {
  const { mediaType, width, height } = image;
  if (detail === 'original' || (mediaType !== 'image/png' && mediaType !== 'image/jpeg')) return undefined;
  if (width * height > MAX_DECODED_PIXELS) return undefined;
  const { longest, shortest } = BOUNDS[detail];
  const scale = Math.min(1, longest / Math.max(width, height), shortest / Math.min(width, height));
  if (scale === 1) return undefined;
  return { mediaType, width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
