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
import { abortable } from '../../core/util/abort.ts';
import type { Disposable } from '../../core/util/disposable.ts';
import type { FileImage } from './fileImage.ts';
import { flushed, flushFiles, flushInBackground, placesToFlush } from './flush.ts';
import type { PlannedStep } from './step.ts';
import type { Transition } from './transition.ts';
import { isMissing } from '../../core/util/fileErrors.ts';
import { makePrivateFolderSync, namesIn, writeNewPrivateFile } from '../host/privateFiles.ts';
import { thisProcess } from '../host/processIdentity.ts';
import { lazyObject, lazyVariant } from '../../protocol/lazyObject.ts';

const ownerSchema = lazyObject(() => ({ user: z.number(), group: z.number() }));
const imageSchema = z.discriminatedUnion('type', [
  lazyVariant('absent', () => ({})),
  lazyVariant('folder', () => ({ mode: z.number().optional() })),
  lazyVariant('link', () => ({ target: z.string() })),
  lazyVariant('file', () => ({
    length: z.number(),
    mode: z.number().nullable(),
    owner: ownerSchema.nullable(),
  })),
]);
type StoredImage = z.infer<typeof imageSchema>;

const headerSchema = lazyObject(() => ({
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
      cells: z.object({ file: imageSchema.nullable(), removed: z.number().optional() }).optional(),
    }),
  ),
}));
type Header = z.infer<typeof headerSchema>;

export interface JournalStep extends Pick<PlannedStep, 'path' | 'before' | 'after'> {
  /** The image is of an editor's buffer; the disk is not changed. */
  readonly unsaved?: true | undefined;
  /**
   * The images are of the cells of a notebook. `file`: that of its file before, where the notebook is saved. `removed`:
   * what the text of removed cells does not have; its writer alone reads it.
   */
  readonly cells?: { readonly file: FileImage | null; readonly removed: Uint8Array | null } | undefined;
}

/** A step with the data for recovering from a crash in the middle of it. */
export type JournalledTransition = Transition & Pick<JournalStep, 'unsaved' | 'cells'>;

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

/** `home`: TILLER_HOME. */
export const journalFolder = (home: string): string => join(home, 'journal');
/** While the patch is applied. */
const OPEN = '.journal';
/** The patch is complete or fully rolled back, but maybe not on the disk. */
const SETTLED = '.settled';
const ENDINGS = /\.(?:journal|settled)$/;

/** True for the file name of a journal, open or settled. */
export const isJournal = (name: string): boolean => ENDINGS.test(name);
/** True for the journal of a patch that is complete or rolled back. */
export const isSettledJournal = (name: string): boolean => name.endsWith(SETTLED);
/** Returns the id in a journal's name or path. */
export const journalId = (name: string): string => basename(name).replace(ENDINGS, '');

/**
 * Resolves once the journal is on the disk, and so are the earlier patches of this and of other processes that touch one
 * of its files: two journals never hold images of one file, of which a power failure could mix three. @throws the
 * signal's reason while it waits for those; then there is no journal
 */
export async function openJournal(
  home: string,
  id: string,
  steps: readonly JournalStep[],
  signal?: AbortSignal,
): Promise<OpenJournal> {
  const earlier = bringToDisk(home, steps);
  await (signal === undefined ? earlier : abortable(earlier, signal));
  const transitions = steps.map(({ path, before, after, unsaved, cells }, index) => ({
    path,
    before,
    after,
    temporaryPath: join(dirname(path), `.tiller-${id}-${index}.tmp`),
    unsaved,
    cells,
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
  flushing.add(settled);
  flushInBackground(transitions.filter(isOnDisk), async (outcome) => {
    try {
      if (outcome === 'on_disk') await rm(settled, { force: true });
      // Otherwise it is tried again with the next patch, at the end of this process and at the next start.
      else if (outcome === 'failed') await keepJournal(settled);
    } finally {
      flushing.delete(settled);
    }
  });
}

/** Settled journals whose files this process brings to the disk now. */
const flushing = new Set<string>();

/**
 * Resolves to true if one of these paths is of a settled patch of another process, or of one whose files this process
 * could not flush. A journal that cannot be read (damaged, of a newer version, removed just now) is not counted: it
 * would be forever.
 */
export async function hasUnflushed(home: string, paths: readonly string[]): Promise<boolean> {
  const wanted = new Set(paths);
  for (const name of namesIn(journalFolder(home))) {
    const path = join(journalFolder(home), name);
    if (!isSettledJournal(name) || flushing.has(path)) continue;
    const record = await readJournal(path).catch(() => undefined);
    if (record?.transitions.some((transition) => wanted.has(transition.path)) === true) return true;
  }
  return false;
}

/** Flushes to the disk what earlier patches have written into the files of these steps. */
async function bringToDisk(home: string, steps: readonly JournalStep[]): Promise<void> {
  const changes = steps.filter(isOnDisk);
  const paths = changes.map(({ path }) => path);
  await flushed(paths);
  if (await hasUnflushed(home, paths)) await flushFiles(placesToFlush(changes));
}

function isOnDisk({ unsaved }: Pick<JournalStep, 'unsaved'>): boolean {
  return unsaved !== true;
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

/**
 * `undefined` when it was cut off while it was written. @throws the error of the system, or of the format: of a newer
 * version, or damaged
 */
export async function readJournal(path: string): Promise<JournalRecord | undefined> {
  const bytes = await readFile(path);
  const endOfHeader = bytes.indexOf('\n');
  if (endOfHeader === -1) return undefined;
  const { steps, owner, startedAt } = parseHeader(bytes.toString('utf8', 0, endOfHeader));
  let offset = endOfHeader + 1;
  const loadBytes = (length: number): Uint8Array => {
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  const load = (image: StoredImage): FileImage => {
    if (image.type !== 'file') return image;
    const { length, ...file } = image;
    return { ...file, bytes: loadBytes(length) };
  };
  const transitions = steps.map(({ cells, ...step }) => ({
    ...step,
    before: load(step.before),
    after: load(step.after),
    ...(cells && {
      cells: {
        file: cells.file && load(cells.file),
        removed: cells.removed === undefined ? null : loadBytes(cells.removed),
      },
    }),
  }));
  if (offset < bytes.length) throw new Error('it is longer than its first line says');
  return offset === bytes.length ? { transitions, owner, startedAt } : undefined;
}

function parseHeader(text: string): Header {
  try {
    return headerSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new Error('it is damaged, or of a newer version of Tiller', { cause: error });
  }
}

function encodeJournal(transitions: readonly JournalledTransition[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  const storeBytes = (bytes: Uint8Array): number => {
    chunks.push(bytes);
    return bytes.length;
  };
  const store = (image: FileImage): StoredImage => {
    if (image.type !== 'file') return image;
    const { bytes, ...file } = image;
    return { ...file, length: storeBytes(bytes) };
  };
  const header: Header = {
    version: 1,
    owner: thisProcess(),
    startedAt: new Date().toISOString(),
    steps: transitions.map(({ cells, ...step }) => ({
      ...step,
      before: store(step.before),
      after: store(step.after),
      ...(cells && {
        cells: {
          file: cells.file && store(cells.file),
          ...(cells.removed && { removed: storeBytes(cells.removed) }),
        },
      }),
    })),
  };
  return [Buffer.from(`${JSON.stringify(header)}\n`, 'utf8'), ...chunks];
}
