/**
 * The journal of applying a patch: written before the first change, so that a crash leaves an interrupted patch with a
 * recovery choice. When the patch is complete or fully rolled back, the journal is renamed and stays until every file
 * of it is on the disk (flush.ts), because files are overwritten in place.
 *
 * One file per patch: a line of JSON, then the bytes of all images in order. A file shorter than its first line
 * promises was cut off while it was written: no file had been changed then.
 */
import { watch } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import type { Disposable } from '../../core/util/disposable.ts';
import type { FileImage } from './fileImage.ts';
import { flushInBackground } from './flush.ts';
import type { PlannedStep } from './step.ts';
import type { Transition } from './transition.ts';
import { isMissing } from '../../core/util/fileErrors.ts';
import { makePrivateFolderSync, writeNewPrivateFile } from '../host/privateFiles.ts';
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
  /** The image is of an editor's buffer; the disk is not changed. */
  readonly unsaved?: true | undefined;
}

/** A step with the data for recovering from a crash in the middle of it. */
export type JournalledTransition = Transition & Pick<JournalStep, 'unsaved'>;

export interface JournalRecord extends Omit<Header, 'steps' | 'version'> {
  readonly transitions: readonly JournalledTransition[];
}

export interface OpenJournal {
  readonly transitions: readonly JournalledTransition[];
  /** The patch is complete or fully rolled back: removes the journal in the background, once all files are on the disk. */
  close(): Promise<void>;
  /** The rollback was incomplete: keeps the journal with the images before, renamed so that it is not offered. */
  keep(): Promise<void>;
}

export const journalFolder = (home: string): string => join(home, 'journal');
/** While the patch is applied. */
const OPEN = '.journal';
/** The patch is complete or fully rolled back, but maybe not on the disk. */
const SETTLED = '.settled';
const ENDINGS = /\.(?:journal|settled)$/;

export const isJournal = (name: string): boolean => ENDINGS.test(name);
export const isSettledJournal = (name: string): boolean => name.endsWith(SETTLED);
/** Of a journal's name or path. */
export const journalId = (name: string): string => basename(name).replace(ENDINGS, '');

/** Resolves once the journal is on the disk. */
export async function openJournal(home: string, id: string, steps: readonly JournalStep[]): Promise<OpenJournal> {
  const transitions = steps.map(({ path, before, after, unsaved }, index) => ({
    path,
    before,
    after,
    temporaryPath: join(dirname(path), `.tiller-${id}-${index}.tmp`),
    unsaved,
  }));
  const path = join(journalFolder(home), `${id}${OPEN}`);
  makePrivateFolderSync(journalFolder(home));
  try {
    await writeNewPrivateFile(path, encodeJournal(transitions));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  return { transitions, close: () => settleJournal(path, transitions), keep: () => keepJournal(path) };
}

/**
 * Call when every path has one of its images: the patch is no longer offered after a crash. The journal is removed in
 * the background, once all files are on the disk; where that fails, it is kept.
 */
export async function settleJournal(path: string, transitions: readonly JournalledTransition[]): Promise<void> {
  const settled = path.replace(ENDINGS, SETTLED);
  try {
    if (settled !== path) await rename(path, settled);
  } catch (error) {
    // It was settled before: a recovery choice may be made again.
    if (isMissing(error)) return;
    throw error;
  }
  flushInBackground(
    transitions.filter(({ unsaved }) => unsaved !== true),
    async (outcome) => {
      await (outcome === 'on_disk' ? rm(settled, { force: true }) : keepJournal(settled));
    },
  );
}

/** Calls back when a journal is created or removed, by any process; never where file watching does not work. */
export function watchJournals(home: string, onChange: () => void): Disposable {
  try {
    const watcher = watch(journalFolder(home), { persistent: false }, (change) => {
      // `change` is for a journal that is being written, which belongs to a running process.
      if (change === 'rename') onChange();
    });
    watcher.on('error', () => watcher.close());
    return { dispose: () => watcher.close() };
  } catch {
    return { dispose: () => {} };
  }
}

/** Renames it to `<id>.kept` beside the journals: no longer offered, never deleted. */
export async function keepJournal(path: string): Promise<void> {
  await rename(path, path.replace(ENDINGS, '.kept'));
}

/** `undefined` when it was cut off while it was written. */
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
  return [Buffer.from(`${JSON.stringify(header)}\n`, 'utf8'), ...chunks];
}
