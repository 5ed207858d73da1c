import path from 'node:path';
import type { UserInput } from '../../protocol/item.ts';
import type { ContentPart, MessageItem } from '../../protocol/responseItem.ts';
import { IMAGE_LIMITS, inspectImage } from '../history/imageData.ts';
import { type Workspace, WorkspaceError } from '../ports.ts';
import { assertNever } from '../util/assertNever.ts';

/** The message that is recorded for an input, and warnings about images that it could not contain. */
interface HeardInput {
  readonly message: MessageItem;
  readonly warnings: readonly string[];
}

interface HeardPart {
  readonly content: readonly ContentPart[];
  readonly warning?: string;
}

/**
 * The user message for the model. A local image is read and named, so that the model can refer to it; a text replaces
 * an image that cannot be sent (codex-behaviour.md §3.1).
 */
export async function userMessage(input: readonly UserInput[], workspace: Workspace, cwd: string): Promise<HeardInput> {
  const parts = await Promise.all(input.map((part) => contentOf(part, workspace, cwd)));
  return {
    message: { type: 'message', role: 'user', content: parts.flatMap(({ content }) => content) },
    warnings: parts.flatMap(({ warning }) => warning ?? []),
  };
}

async function contentOf(part: UserInput, workspace: Workspace, cwd: string): Promise<HeardPart> {
  switch (part.type) {
    case 'text':
      return { content: [text(part.text)] };
    case 'image':
      return { content: [{ type: 'input_image', image_url: part.imageUrl }] };
    case 'mention':
      return { content: [text(part.text ?? `[${part.name}](${part.path})`)] };
    case 'local_image':
      return localImage(path.resolve(cwd, part.path), workspace);
    default:
      return assertNever(part);
  }
}

async function localImage(file: string, workspace: Workspace): Promise<HeardPart> {
  let bytes: Uint8Array;
  try {
    bytes = await workspace.readBytes(file, { maxBytes: IMAGE_LIMITS.bytes });
  } catch (error) {
    if (error instanceof WorkspaceError) return leftOut(file, error.message);
    throw error;
  }
  const image = inspectImage(bytes);
  if (image.type === 'refused') return leftOut(file, image.reason);
  const url = `data:${image.mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
  return { content: [text(`<image path="${file}">`), { type: 'input_image', image_url: url }, text('</image>')] };
}

function leftOut(file: string, reason: string): HeardPart {
  const sentence = `the image ${file} was left out: ${reason}`;
  return { content: [text(`[${sentence}]`)], warning: `T${sentence.slice(1)}${reason.endsWith('.') ? '' : '.'}` };
}

function text(value: string): ContentPart {
  return { type: 'input_text', text: value };
}
