/** Outputs of tools with images, for servers that take text alone there. */
import {
  isToolCallOutput,
  type OutputPart,
  type ResponseItem,
  type ToolCallOutputItem,
} from '../../protocol/responseItem.ts';

type OutputWithImages = ToolCallOutputItem & { readonly output: readonly OutputPart[] };

/** True for the output of a tool with at least one image. */
export function hasToolImages(item: ResponseItem): item is OutputWithImages {
  return isToolCallOutput(item) && typeof item.output !== 'string' && item.output.some(isImage);
}

function isImage(part: OutputPart): boolean {
  return part.type === 'input_image';
}

/** The place of an output's images, where it is not the output. */
export type ImagePlace = 'message' | 'none';

/** Joins the texts of an output, with a note for the model in place of each image. */
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
