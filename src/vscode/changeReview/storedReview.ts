/** The stored form of a pending file, kept over a reload of the window. */
import * as vscode from 'vscode';
import * as z from 'zod';
import { isConsistent, startReview, type TextReview } from '../../core/changeReview/textReview.ts';
import type { FileImage } from '../apply/model.ts';
import type { FileStory, PendingFile } from './pendingFile.ts';
import { lazyObject, lazyVariant } from '../../protocol/lazyObject.ts';

const imageSchema = lazyObject(() => ({
  text: z.string().nullable(),
  /** As base64. */
  bytes: z.string().nullable(),
  mode: z.number().optional(),
  linkTarget: z.string().optional(),
}));

const plainStorySchema = z.discriminatedUnion('type', [
  lazyVariant('edited', () => ({})),
  lazyVariant('added', () => ({})),
  lazyVariant('moved', () => ({ from: z.string(), place: z.string().optional() })),
]);

const line = z.number().int().min(0);

const storedSchema = lazyObject(() => ({
  version: z.literal(1),
  /** The process that has written it. Earlier versions did not name it. */
  owner: z.string().optional(),
  uri: z.string(),
  path: z.string(),
  place: z.string().optional(),
  story: z.union([
    plainStorySchema,
    z.object({ type: z.literal('deleted'), image: imageSchema, was: plainStorySchema }),
  ]),
  isCells: z.boolean().optional(),
  base: z.array(z.string()).min(1),
  current: z.array(z.string()).min(1),
  hunks: z.array(z.object({ id: line, baseStart: line, baseEnd: line, start: line, end: line, touched: z.boolean() })),
}));
type Stored = z.infer<typeof storedSchema>;

/** Returns the text from which `readReview` makes the file again after a reload. `owner`: the process that writes it. */
export function writeReview({ uri, path, place, story, text, isCells }: PendingFile, owner: string): string {
  const { base, current, hunks } = text;
  const stored = {
    version: 1,
    owner,
    uri: uri.toString(),
    path,
    place,
    story: storedStory(story),
    isCells,
    base,
    current,
    hunks,
  };
  return JSON.stringify(stored);
}

export interface StoredReview {
  /** The process that has written it; `undefined` for one of an earlier version. */
  readonly owner: string | undefined;
  readonly file: PendingFile;
}

/** `undefined` for anything that `writeReview` has not written. */
export function readReview(json: string): StoredReview | undefined {
  try {
    const stored = storedSchema.parse(JSON.parse(json));
    const { owner, path, place, story, isCells } = stored;
    const uri = vscode.Uri.parse(stored.uri, true);
    return { owner, file: { uri, path, place, story: storyOf(story), text: textOf(stored), isCells } };
  } catch {
    return undefined;
  }
}

function textOf({ base, current, hunks }: Stored): TextReview {
  const fresh = startReview(base.join('\n'), current.join('\n'));
  if (!isConsistent({ base, current, hunks })) return fresh;
  return { ...fresh, hunks, nextId: Math.max(0, ...hunks.map(({ id }) => id)) + 1 };
}

function storedStory(story: FileStory): unknown {
  if (story.type !== 'deleted') return story;
  const { bytes, ...image } = story.image;
  return { ...story, image: { ...image, bytes: bytes && Buffer.from(bytes).toString('base64') } };
}

function storyOf(story: Stored['story']): FileStory {
  if (story.type !== 'deleted') return story;
  const { text, bytes, mode, linkTarget } = story.image;
  const image: FileImage = { text, bytes: bytes === null ? null : Buffer.from(bytes, 'base64'), mode, linkTarget };
  return { ...story, image };
}
