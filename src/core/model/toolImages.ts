/** Outputs of tools with images, for servers that take text alone there. */
import type { OutputPart } from '../../protocol/responseItem.ts';

/** Where the images of an output are instead. */
export type ImagePlace = 'message' | 'none';

export function textWithPlaceholders(output: readonly OutputPart[], place: ImagePlace): string {
  const placeholder = place === 'message' ? IMAGE_FOLLOWS : IMAGE_LEFT_OUT;
  return output.map((part) => (part.type === 'input_image' ? placeholder : part.text)).join('\n');
}

const IMAGE_FOLLOWS = '[image: in the user message below]';
const IMAGE_LEFT_OUT = '[image left out: this server takes no images of tools]';

/** The text before the images of a call in the message that has them. */
export function imagesOfCall(callId: string): string {
  return `[images of the tool output ${callId}]`;
}
