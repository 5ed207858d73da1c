/** Turns one change of text into steps on disk: reads only. */
import { accessSync, constants, lstatSync, readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type HeldFolders, ApplyRefused, type PlacedChange, PlaceMoved } from '../../core/patch/placedChange.ts';
import { describeFileError } from '../../core/util/fileErrors.ts';
import { imageOf, type FileImage, type SeenImage } from './fileImage.ts';
import { MAX_TEXT_BYTES } from './limits.ts';
import type { PlannedStep } from './step.ts';
import { decodeFile, lastDecoded } from './decodedFile.ts';
import { encodeText } from '../../core/util/textBytes.ts';

export type ChangePlan =
  | { readonly type: 'ready'; readonly steps: readonly PlannedStep[] }
  | { readonly type: 'stale'; readonly paths: readonly string[] };

/**
 * `removed`: the names that the same patch removes; a file written there replaces none. @throws ApplyRefused,
 * PlaceMoved
 */
export function planChange(placed: PlacedChange, removed: ReadonlySet<string>, held: HeldFolders): ChangePlan {
  const { change, source, writes, removes } = placed;
  const seen = readTarget(source, change.path, held);
  switch (change.kind) {
    case 'add':
      if (!removed.has(source) && !holds(seen.image, change.before, source)) return stale(change.path);
      return ready(write(source, seen, encodeText({ text: change.text, hasByteOrderMark: false }), null, held));
    case 'delete':
      if (removes === undefined || !isAsDeleted(seen.image, change.before, removes, held)) return stale(change.path);
      return ready(remove(removes, removes === source ? seen : undefined, held));
    case 'update': {
      const decoded = seen.image.type === 'file' ? decodeFile(source, seen.image.bytes) : undefined;
      if (seen.image.type !== 'file' || decoded?.text !== change.before) return stale(change.path);
      const { mode } = seen.image;
      // Decoding was lossless, so the unchanged parts keep their bytes.
      const bytes = encodeText({ ...decoded, text: change.after });
      if (writes === undefined || removes === undefined) return ready(write(source, seen, bytes, mode, held));

      const destination = change.movedTo ?? change.path;
      const over = readDestination(writes, source, destination, held);
      if (!removed.has(writes) && !holds(over.image, change.movedOver, writes)) return stale(destination);
      // A move keeps the permissions (docs/design.md decision 4, difference (c)).
      return ready(
        write(writes, over, bytes, mode, held),
        remove(removes, removes === source ? seen : undefined, held),
      );
    }
  }
}

const stale = (path: string): ChangePlan => ({ type: 'stale', paths: [path] });
const ready = (...steps: readonly PlannedStep[]): ChangePlan => ({ type: 'ready', steps });

const NOT_TEXT = Symbol('a file that is not text');

/** `null` for a missing file. */
function textOf(image: FileImage, place: string): string | null | typeof NOT_TEXT {
  if (image.type === 'absent') return null;
  if (image.type !== 'file' || image.bytes.length > MAX_TEXT_BYTES) return NOT_TEXT;
  return decodeFile(place, image.bytes)?.text ?? NOT_TEXT;
}

/**
 * Returns true if the file to be replaced has the content that the plan has read; one that is not text was planned
 * unread.
 */
function holds(image: FileImage, before: string | null, place: string): boolean {
  const text = textOf(image, place);
  return text === NOT_TEXT ? before === null : text === before;
}

/** A file that is not text, and a dangling link, are deleted without a comparison. */
function isAsDeleted(image: FileImage, before: string | null, name: string, held: HeldFolders): boolean {
  if (before !== null) return textOf(image, name) === before;
  if (image.type !== 'absent') return textOf(image, name) === NOT_TEXT;
  return readImage(name, name, held).image.type === 'link';
}

/** Links were followed when the place was resolved, so there should be none now. */
function readTarget(place: string, name: string, held: HeldFolders): SeenImage {
  const seen = readImage(place, name, held);
  if (seen.image.type === 'link') throw new PlaceMoved(place);
  return seen;
}

function readImage(place: string, name: string, held: HeldFolders): SeenImage {
  let seen: SeenImage;
  try {
    seen = imageOf(place, held, lastDecoded(place));
  } catch (error) {
    if (error instanceof PlaceMoved) throw error;
    throw new ApplyRefused(describeFileError(error, name));
  }
  if (seen.image.type === 'folder') throw new ApplyRefused(`${name} is a directory.`);
  return seen;
}

/**
 * Reads the destination of a move. On a case-insensitive disk a new spelling leads to the file itself: the move
 * replaces no file.
 */
function readDestination(path: string, source: string, name: string, held: HeldFolders): SeenImage {
  const seen = readTarget(path, name, held);
  if (seen.image.type === 'absent' || path.toLowerCase() !== source.toLowerCase()) return seen;
  const isOneName =
    lstatSync(held.at(path)).ino === lstatSync(held.at(source)).ino &&
    !readdirSync(dirname(held.at(path))).includes(basename(path));
  return isOneName ? { image: { type: 'absent' }, stamp: 'absent' } : seen;
}

function write(path: string, now: SeenImage, bytes: Uint8Array, mode: number | null, held: HeldFolders): PlannedStep {
  const existing = now.image.type === 'file' ? now.image : undefined;
  if (existing !== undefined) mayWrite(held.at(path), path);
  return {
    path,
    before: now.image,
    after: { type: 'file', bytes, mode: mode ?? existing?.mode ?? null, owner: existing?.owner ?? null },
    seen: now.stamp,
  };
}

function remove(path: string, known: SeenImage | undefined, held: HeldFolders): PlannedStep {
  const { image, stamp } = known ?? readImage(path, path, held);
  mayWrite(dirname(held.at(path)), dirname(path));
  return { path, before: image, after: { type: 'absent' }, seen: stamp };
}

function mayWrite(name: string, path: string): void {
  try {
    accessSync(name, constants.W_OK);
  } catch (error) {
    throw new ApplyRefused(describeFileError(error, path));
  }
}
