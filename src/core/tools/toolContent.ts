import type { ToolContentItem } from '../../protocol/item.ts';

/** An image from anywhere else would be loaded by the server of the model or by the panel. */
const IMAGE_DATA = /^data:image\/[\w.+-]+;base64,[\w+/=]+$/;
const LEFT_OUT = '[An image that is not a data: URL of an image was left out.]';

/** What a client or an extension has returned: images are data, and others are replaced by a sentence. */
export function safeContent(parts: readonly ToolContentItem[]): readonly ToolContentItem[] {
  return parts.map((part) =>
    part.type === 'input_image' && !IMAGE_DATA.test(part.imageUrl) ? { type: 'input_text', text: LEFT_OUT } : part,
  );
}

/** What the model reads in place of data that it cannot read. */
export function dataNote(data: Uint8Array, mimeType: string): string {
  return `[${data.length} bytes of ${mimeType}, which are not passed on]`;
}
