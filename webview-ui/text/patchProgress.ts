/** Reads a patch (apply_patch format) while the model is still writing it. */
import type { DiffLine } from './diff.ts';

export interface GrowingFile {
  readonly path: string;
  readonly kind: 'add' | 'update' | 'delete';
  readonly added: number;
  readonly removed: number;
}

/** Of the file that is being written. */
const TAIL_LINES = 8;

const KINDS = { Add: 'add', Update: 'update', Delete: 'delete' } as const;

/** The last file is the one being written. An incomplete last line is not counted. */
export function patchProgress(patch: string): readonly GrowingFile[] {
  const files: { path: string; kind: GrowingFile['kind']; added: number; removed: number }[] = [];
  for (const line of patch.split('\n').slice(0, -1)) {
    const [, verb, path] = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(line) ?? [];
    const file = files.at(-1);
    if (path !== undefined)
      files.push({ path: path.trim(), kind: KINDS[verb as keyof typeof KINDS], added: 0, removed: 0 });
    else if (file !== undefined && line.startsWith('+')) file.added++;
    else if (file !== undefined && line.startsWith('-')) file.removed++;
  }
  return files;
}

/** The last lines of the file that is being written, without an incomplete one. */
export function patchTail(patch: string): readonly DiffLine[] {
  const end = patch.lastIndexOf('\n');
  const tail: DiffLine[] = [];
  for (let stop = end; stop > 0 && tail.length < TAIL_LINES; ) {
    const start = patch.lastIndexOf('\n', stop - 1) + 1;
    const line = patch.slice(start, stop);
    if (line.startsWith('*** ')) break;
    stop = start - 1;
    if (line.startsWith('@@')) continue;
    const type = line.startsWith('+') ? 'add' : line.startsWith('-') ? 'delete' : 'context';
    tail.unshift({ type, text: line.slice(1) });
  }
  return tail;
}
