/**
 * What a landing is about to do, on disk before it does it, so that a crash leaves a choice instead of a mess.
 *
 * One file per landing: a line of JSON, then the bytes of all images in order. A file shorter than its first line says
 * was interrupted while it was written: nothing had been touched then.
 */
import { watch } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { Disposable } from '../../core/util/disposable.ts';
import type { FileImage } from './fileImage.ts';
import type { PlannedStep } from './step.ts';
import type { Transition } from './transition.ts';
import { makePrivateFolder, writeNewPrivateFile } from '../host/privateFiles.ts';
import { thisProcess } from '../host/processIdentity.ts';

const ownerSchema = z.object({ user: z.number(), group: z.number() });
const imageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('absent') }),
  z.object({ type: z.literal('folder') }),
  z.object({ type: z.literal('link'), target: z.string() }),
  z.object({
    type: z.literal('file'),
    length: z.number(),
    mode: z.number().nullable(),
    owner: ownerSchema.nullable(),
  }),
]);
type StoredImage = z.infer<typeof imageSchema>;

const headerSchema = z.object({
  version: z.literal(1),
  owner: z.object({ pid: z.number(), bootId: z.string().nullable(), startTime: z.string().nullable() }),
  startedAt: z.iso.datetime(),
  steps: z.array(
    z.object({
      path: z.string(),
      before: imageSchema,
      after: imageSchema,
      temporaryPath: z.string(),
      unsaved: z.literal(true).optional(),
    }),
  ),
});
type Header = z.infer<typeof headerSchema>;

export interface JournalStep extends Pick<PlannedStep, 'path' | 'before' | 'after'> {
  /** It tells of an editor's buffer; the disk is not touched. */
  readonly unsaved?: true | undefined;
}

/** A step with what a crash in the middle of it needs. */
export type JournalledTransition = Transition & Pick<JournalStep, 'unsaved'>;

export interface JournalRecord extends Omit<Header, 'steps' | 'version'> {
  readonly transitions: readonly JournalledTransition[];
}

export interface OpenJournal {
  readonly transitions: readonly JournalledTransition[];
  /** All is as it should be: the journal goes. */
  close(): Promise<void>;
  /** Something could not be brought back: the journal stays, out of the way, with what was there before. */
  keep(): Promise<void>;
}

export const journalFolder = (home: string): string => join(home, 'journal');
export const JOURNAL_ENDING = '.journal';

/** Returns once the journal is on the disk. */
export async function openJournal(home: string, id: string, steps: readonly JournalStep[]): Promise<OpenJournal> {
  const transitions = steps.map(({ path, before, after, unsaved }, index) => ({
    path,
    before,
    after,
    temporaryPath: join(dirname(path), `.tiller-${id}-${index}.tmp`),
    unsaved,
  }));
  const path = join(journalFolder(home), `${id}${JOURNAL_ENDING}`);
  await makePrivateFolder(journalFolder(home));
  try {
    await writeNewPrivateFile(path, encodeJournal(transitions));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return { transitions, close: () => rm(path, { force: true }), keep: () => keepJournal(path) };
}

/** Calls back whenever a journal came or went, in this process or another. Where that cannot be heard it never does. */
export function watchJournals(home: string, onChange: () => void): Disposable {
  try {
    const watcher = watch(journalFolder(home), { persistent: false }, (change) => {
      // What is still being written belongs to somebody who lives.
      if (change === 'rename') onChange();
    });
    watcher.on('error', () => watcher.close());
    return { dispose: () => watcher.close() };
  } catch {
    return { dispose: () => {} };
  }
}

/** No longer offered, never deleted: `<id>.kept` beside the journals. */
export async function keepJournal(path: string): Promise<void> {
  await rename(path, path.slice(0, -JOURNAL_ENDING.length) + '.kept');
}

/** `undefined` when it was interrupted while it was written. */
export async function readJournal(path: string): Promise<JournalRecord | undefined> {
  const bytes = await readFile(path);
  const endOfHeader = bytes.indexOf('\n');
  if (endOfHeader === -1) return undefined;
  const { steps, owner, startedAt } = headerSchema.parse(JSON.parse(bytes.toString('utf8', 0, endOfHeader)));
  let offset = endOfHeader + 1;
  const load = (image: StoredImage): FileImage => {
    if (image.type !== 'file') return image;
    const { length, ...file } = image;
    offset += length;
    return { ...file, bytes: bytes.subarray(offset - length, offset) };
  };
  const transitions = steps.map((step) => ({ ...step, before: load(step.before), after: load(step.after) }));
  return offset === bytes.length ? { transitions, owner, startedAt } : undefined;
}

function encodeJournal(transitions: readonly JournalledTransition[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  const store = (image: FileImage): StoredImage => {
    if (image.type !== 'file') return image;
    const { bytes, ...file } = image;
    chunks.push(bytes);
    return { ...file, length: bytes.length };
  };
  const header: Header = {
    version: 1,
    owner: thisProcess(),
    startedAt: new Date().toISOString(),
    steps: transitions.map((step) => ({ ...step, before: store(step.before), after: store(step.after) })),
  };
  return [Buffer.from(`${JSON.stringify(header)}\n`, 'utf8'), Buffer.concat(chunks)];
}
