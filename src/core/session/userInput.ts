import path from 'node:path';
import type { UserInput } from '../../protocol/item.ts';
import type { ContentPart, MessageItem } from '../../protocol/responseItem.ts';
import { type Workspace, WorkspaceError } from '../ports.ts';
import { assertNever } from '../util/assertNever.ts';

const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
const IMAGE_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

/**
 * The user message the model gets. A local image is read and named, so that the model can speak of it; one that cannot
 * be read is told in words instead (codex-behaviour.md §3.1).
 */
export async function userMessage(
  input: readonly UserInput[],
  workspace: Workspace,
  cwd: string,
): Promise<MessageItem> {
  const parts = await Promise.all(input.map((part) => contentOf(part, workspace, cwd)));
  return { type: 'message', role: 'user', content: parts.flat() };
}

async function contentOf(part: UserInput, workspace: Workspace, cwd: string): Promise<ContentPart[]> {
  switch (part.type) {
    case 'text':
      return [text(part.text)];
    case 'image':
      return [{ type: 'input_image', image_url: part.imageUrl }];
    case 'mention':
      return [text(part.text ?? `[${part.name}](${part.path})`)];
    case 'local_image':
      return localImage(path.resolve(cwd, part.path), workspace);
    default:
      return assertNever(part);
  }
}

async function localImage(file: string, workspace: Workspace): Promise<ContentPart[]> {
  const mediaType = IMAGE_TYPES[path.extname(file).toLowerCase()];
  if (!mediaType) return [text(`[the image ${file} was left out: it is not a PNG, JPEG, GIF or WebP file]`)];
  try {
    const bytes = await workspace.readBytes(file, { maxBytes: MAX_IMAGE_BYTES });
    const url = `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
    return [text(`<image path="${file}">`), { type: 'input_image', image_url: url }, text('</image>')];
  } catch (error) {
    if (error instanceof WorkspaceError) return [text(`[the image ${file} was left out: ${error.message}]`)];
    throw error;
  }
}

function text(value: string): ContentPart {
  return { type: 'input_text', text: value };
}
