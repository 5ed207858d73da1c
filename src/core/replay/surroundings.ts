/** The surroundings of a thread (rules, AGENTS.md, images), read from the messages to the model. */
import { type MessageItem, type ResponseItem, textOf } from '../../protocol/responseItem.ts';
import { isAllowedPrefixesMessage } from '../prompt/allowedPrefixes.ts';
import { factsIn } from '../prompt/environmentContext.ts';
import { unescapeMarkup } from '../prompt/markup.ts';
import { isMemoryListMessage, type ListedMemory, memoriesIn } from '../prompt/memoryList.ts';
import { isProjectDocsMessage } from '../prompt/projectDocs.ts';
import { isSkillListMessage, type ListedSkill, skillsIn } from '../prompt/skillList.ts';

export interface Surroundings {
  readonly shell?: string;
  readonly timeZone?: string;
  /** `rules.json` with the rules that were sent to the model. */
  readonly rules?: string;
  readonly memories?: readonly ListedMemory[];
  readonly skills?: readonly ListedSkill[];
  /** AGENTS.md of a working directory. */
  readonly docs?: { readonly cwd: string; readonly text: string };
  /** Absolute paths to bytes, or to the reason why a file cannot be read. */
  readonly files: ReadonlyMap<string, Uint8Array | string>;
}

/** Returns the part of them that one message has; empty for any other item. */
export function surroundingsIn(item: ResponseItem): Surroundings {
  if (item.type !== 'message') return { files: new Map() };
  const text = textOf(item.content);
  if (isAllowedPrefixesMessage(item)) return { rules: rulesIn(text), files: new Map() };
  if (isMemoryListMessage(item)) return { memories: memoriesIn(text), files: new Map() };
  if (isSkillListMessage(item)) return { skills: skillsIn(text), files: new Map() };
  if (isProjectDocsMessage(item)) return { docs: docsIn(text), files: new Map() };
  const { shell, timezone } = factsIn(text);
  return {
    ...(shell === undefined ? {} : { shell: `/bin/${shell}` }),
    ...(timezone === undefined ? {} : { timeZone: timezone }),
    files: imagesIn(item),
  };
}

function docsIn(text: string): Surroundings['docs'] {
  const [, cwd = '', docs = ''] =
    /^# AGENTS\.md instructions for (.*)\n\n<INSTRUCTIONS>\n(.*)\n<\/INSTRUCTIONS>$/s.exec(text) ?? [];
  return { cwd: unescapeMarkup(cwd), text: docs };
}

const LINE = /^- (.*?)( \(outside the sandbox\))?$/;
const WORD = /\((?:"(?:\\.|[^"\\])*"|[^()"])+\)|"(?:\\.|[^"\\])*"|[^\s()]+/g;
const CHOICE = /"(?:\\.|[^"\\])*"|[^|()]+/g;

function rulesIn(text: string): string {
  const rules = text.split('\n').flatMap((line) => {
    const [, words, outside] = LINE.exec(line) ?? [];
    if (words === undefined) return [];
    const pattern = [...words.matchAll(WORD)].map(([word]) =>
      word.startsWith('(') ? [...word.matchAll(CHOICE)].map(([choice]) => unquoted(choice)) : unquoted(word),
    );
    return [{ pattern, decision: 'allow', ...(outside === undefined ? {} : { bypassSandbox: true }) }];
  });
  return JSON.stringify({ version: 1, rules });
}

function unquoted(word: string): string {
  return word.startsWith('"') ? (JSON.parse(word) as string) : word;
}

/** A local image is between two texts of a message; one that was left out is a text. */
function imagesIn({ content }: MessageItem): ReadonlyMap<string, Uint8Array | string> {
  const files = new Map<string, Uint8Array | string>();
  content.forEach((part, index) => {
    if (part.type !== 'input_text') return;
    const [, file] = /^<image path="(.*)">$/s.exec(part.text) ?? [];
    const image = content[index + 1];
    if (file !== undefined && image?.type === 'input_image') files.set(file, bytesOf(image.image_url));
    const [, missing, reason] = /^\[the image (.*?) was left out: (.*)\]$/s.exec(part.text) ?? [];
    if (missing !== undefined && reason !== undefined) files.set(missing, reason);
  });
  return files;
}

function bytesOf(dataUrl: string): Uint8Array {
  return Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64');
}
