/** The images of an item: in a message or in the output of a tool. */
import { createHash } from 'node:crypto';
import { isToolCallOutput, type OutputPart, type ResponseItem } from '../../protocol/responseItem.ts';

export type ImagePart = Extract<OutputPart, { type: 'input_image' }>;
type TextPart = Extract<OutputPart, { type: 'input_text' }>;

/** Returns the images that an item carries, in their order: of a message or of the output of a call. */
export function imagesIn(item: ResponseItem): readonly ImagePart[] {
  if (item.type === 'message') return item.content.filter((part) => part.type === 'input_image');
  if (!isToolCallOutput(item) || typeof item.output === 'string') return [];
  return item.output.filter((part) => part.type === 'input_image');
}

/** Returns the item itself when no image is replaced. */
export function replaceImages(item: ResponseItem, replace: (image: ImagePart) => ImagePart | TextPart): ResponseItem {
  const replaced = new Map(imagesIn(item).map((image) => [image, replace(image)] as const));
  if ([...replaced].every(([image, other]) => image === other)) return item;
  if (item.type === 'message') {
    return {
      ...item,
      content: item.content.map((part) => (part.type === 'input_image' ? (replaced.get(part) ?? part) : part)),
    };
  }
  if (!isToolCallOutput(item) || typeof item.output === 'string') return item;
  return {
    ...item,
    output: item.output.map((part) => (part.type === 'input_image' ? (replaced.get(part) ?? part) : part)),
  };
}

/** The text that replaces an image for the model. */
export function placeholderFor(reason: string): TextPart {
  return { type: 'input_text', text: `[image left out: ${reason}]` };
}

/** Identifies an image in the rollout, whatever item it is part of. */
export function imageKey({ image_url }: ImagePart): string {
  return createHash('sha256').update(image_url).digest('hex');
}
