import path from 'node:path';
import { isRunByText } from '../../protocol/draft.ts';
import type { Mention, MentionKind, UserInput } from '../../protocol/item.ts';
import type { ContentPart, MessageItem } from '../../protocol/responseItem.ts';
import { IMAGE_LIMITS } from '../../protocol/imageLimits.ts';
import { inspectImage } from '../util/imageData.ts';
import type { TurnSettings } from '../../protocol/event.ts';
import { type Ports, type Workspace, WorkspaceError } from '../ports.ts';
import { refusalOf } from '../tools/files/readGuard.ts';
import { assertNever } from '../util/assertNever.ts';

/** The message that is recorded for an input, and warnings about images that it could not contain. */
interface RecordedInput {
  readonly message: MessageItem;
  readonly warnings: readonly string[];
}

/** The ports that read the files of a message, and the limits of its thread for that. */
type InputDeps = Parameters<typeof refusalOf>[1] & { readonly workspace: Pick<Workspace, 'readBytes'> };

/** The `InputDeps` of a thread with these ports. `unreadable`: the setting `sandbox.unreadable`. */
export function inputDeps(
  { workspace, host, storage }: Pick<Ports, 'workspace' | 'host' | 'storage'>,
  settings: TurnSettings,
  thread: { readonly id: string; readonly unreadable: readonly string[] },
) {
  return { workspace, host, settings, thread: { ...thread, home: storage.home } } satisfies InputDeps;
}

interface ReadPart {
  readonly content: readonly ContentPart[];
  readonly warning?: string;
}

/**
 * The user message for the model. A local image is read and named, so that the model can refer to it; a text replaces
 * an image that cannot be sent (codex-behaviour.md §3.1).
 */
export async function userMessage(input: readonly UserInput[], deps: InputDeps): Promise<RecordedInput> {
  const parts = await Promise.all(input.map((part) => contentOf(part, deps)));
  return {
    message: { type: 'message', role: 'user', content: parts.flatMap(({ content }) => content) },
    warnings: parts.flatMap(({ warning }) => warning ?? []),
  };
}

async function contentOf(part: UserInput, deps: InputDeps): Promise<ReadPart> {
  switch (part.type) {
    case 'text':
      return { content: [text(part.text)] };
    case 'image':
      return { content: [{ type: 'input_image', image_url: part.imageUrl }] };
    case 'mention':
      return part.kind === undefined
        ? { content: [text(part.text ?? `[${part.name}](${part.path})`)] }
        : mentioned(part, part.kind);
    case 'local_image':
      return localImage(path.resolve(deps.settings.cwd, part.path), deps);
    default:
      return assertNever(part);
  }
}

/** The form of an attachment; `resolveMentions` has read it. */
function mentioned(mention: Mention, kind: MentionKind): ReadPart {
  const { name, path: file, text: body = '', sent } = mention;
  const refused = sent?.type === 'refused' ? sent.reason : undefined;
  const content = refused === undefined ? body : `[not attached: ${refused}]`;
  // A text that contains the end mark cannot end its own attachment.
  let tag = 'attachment';
  for (let number = 2; content.includes(`</${tag}>`); number++) tag = `attachment-${number}`;
  const facts = [`name="${attribute(name)}"`, `kind="${kind}"`];
  if (file !== '') facts.push(`path="${attribute(file)}"`);
  // The text of a skill or a prompt is not that of its file, line by line.
  if (sent?.type === 'text' && kind !== 'folder' && !isRunByText(mention)) {
    const first = mention.lines?.first ?? 1;
    if (file !== '' && sent.lines > 0) facts.push(`lines="${first}-${first + sent.lines - 1}"`);
  }
  if (sent?.type === 'text' && sent.of !== undefined) {
    facts.push(`cut="the first ${sent.lines} of ${sent.of} ${kind === 'folder' ? 'entries' : 'lines'}"`);
  }
  const warning = refused === undefined ? undefined : `@${name} was not attached: ${refused}.`;
  // Chat Completions gets all parts as one text.
  const part = text(`\n\n<${tag} ${facts.join(' ')}>\n${content}\n</${tag}>`);
  return { content: [part], ...(warning === undefined ? {} : { warning }) };
}

function attribute(value: string): string {
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll(/[\r\n]/g, ' ');
}

async function localImage(file: string, deps: InputDeps): Promise<ReadPart> {
  const refusal = await refusalOf(file, deps);
  if (refusal !== undefined) return leftOut(file, refusal);
  let bytes: Uint8Array;
  try {
    bytes = await deps.workspace.readBytes(file, { maxBytes: IMAGE_LIMITS.bytes });
  } catch (error) {
    if (error instanceof WorkspaceError) return leftOut(file, error.message);
    throw error;
  }
  const image = inspectImage(bytes);
  if (image.type === 'refused') return leftOut(file, image.reason);
  const url = `data:${image.mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
  return { content: [text(`<image path="${file}">`), { type: 'input_image', image_url: url }, text('</image>')] };
}

function leftOut(file: string, reason: string): ReadPart {
  const sentence = `the image ${file} was left out: ${reason}`;
  return { content: [text(`[${sentence}]`)], warning: `T${sentence.slice(1)}${reason.endsWith('.') ? '' : '.'}` };
}

function text(value: string): ContentPart {
  return { type: 'input_text', text: value };
}
