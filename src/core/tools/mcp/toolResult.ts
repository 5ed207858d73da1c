/** Results of MCP servers as the model and the user get them (codex-behaviour.md §9, "Follow"). */
import type { ToolContentItem } from '../../../protocol/item.ts';
import type { CallOutput } from '../../../protocol/responseItem.ts';
import type { McpCallResult, McpContent } from '../../mcp/connection.ts';
import { truncateMiddle } from '../../util/tokens.ts';
import { MAX_OUTPUT_TOKENS } from '../handlers/commandAnswer.ts';
import { imageLimit } from '../toolContent.ts';

export interface ResultParts {
  /** All texts of the result, joined. */
  readonly text: string;
  readonly images: readonly string[];
}

/** Text and images of a result. `structuredContent` takes the place of the texts: it has the same content as JSON. */
export function partsOf({ content, structuredContent }: McpCallResult): ResultParts {
  const images: string[] = [];
  const texts: string[] = [];
  const notes: string[] = [];
  const faultOf = imageLimit();
  for (const part of content) {
    const image = imageIn(part);
    if (image === undefined) {
      texts.push(textIn(part));
      continue;
    }
    const fault = faultOf(image);
    if (fault === undefined) images.push(image);
    else notes.push(fault);
  }
  const body =
    structuredContent === undefined || structuredContent === null ? texts : [JSON.stringify(structuredContent)];
  return { text: [...body, ...notes].join('\n'), images };
}

/** Returns the result for the model and the thread: its text within the budget of a command's output. */
export function cutResult({ text, images }: ResultParts, logPath: string | undefined) {
  const cut = truncateMiddle(text, MAX_OUTPUT_TOKENS);
  const shown = logPath === undefined ? cut : `${cut}\n\nThe whole result is in ${logPath}`;
  const items: ToolContentItem[] = [
    ...(shown === '' && images.length > 0 ? [] : [{ type: 'input_text' as const, text: shown }]),
    ...images.map((imageUrl) => ({ type: 'input_image' as const, imageUrl })),
  ];
  return { items, output: outputOf(shown, images) };
}

/** True when the model does not get all of the text. */
export function isOversized({ text }: ResultParts): boolean {
  return truncateMiddle(text, MAX_OUTPUT_TOKENS) !== text;
}

function outputOf(text: string, images: readonly string[]): CallOutput {
  if (images.length === 0) return text === '' ? 'The tool returned nothing.' : text;
  return [
    ...(text === '' ? [] : [{ type: 'input_text' as const, text }]),
    ...images.map((url) => ({ type: 'input_image' as const, image_url: url })),
  ];
}

function imageIn(part: McpContent): string | undefined {
  const source = part.type === 'resource' ? recordIn(part['resource']) : part;
  const data = part.type === 'image' ? source['data'] : source['blob'];
  const { mimeType } = source;
  if (part.type !== 'image' && part.type !== 'resource') return undefined;
  if (typeof data !== 'string' || typeof mimeType !== 'string' || !/^image\/[\w.+-]+$/.test(mimeType)) return undefined;
  return `data:${mimeType};base64,${data}`;
}

function textIn(part: McpContent): string {
  switch (part.type) {
    case 'text':
      return stringIn(part['text']);
    case 'resource': {
      const resource = recordIn(part['resource']);
      const uri = stringIn(resource['uri']);
      if (typeof resource['text'] === 'string') return `${uri}\n${resource['text']}`;
      return `[${uri}: ${bytesIn(resource['blob'])} bytes of ${stringIn(resource['mimeType']) || 'unknown type'}]`;
    }
    case 'resource_link': {
      const { uri, name, description } = part;
      const about = stringIn(description) === '' ? '' : `: ${stringIn(description)}`;
      return `[Resource ${stringIn(name)} at ${stringIn(uri)}${about}]`;
    }
    case 'audio':
      return `[Audio: ${bytesIn(part['data'])} bytes of ${stringIn(part['mimeType'])}, which is not passed on]`;
    default:
      return JSON.stringify(part);
  }
}

/** Returns the number of bytes that this base64 text encodes. */
function bytesIn(data: unknown): number {
  return typeof data === 'string' ? Math.floor((data.length * 3) / 4) : 0;
}

function stringIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
