/** Reads a patch (apply_patch format) while the model is still writing it. */
import type { DiffLine } from './diff.ts';

export interface GrowingFile {
  readonly path: string;
  readonly kind: 'add' | 'update' | 'delete';
  readonly added: number;
  readonly removed: number;
}

/** Maximum number of lines that are shown of the file that is being written. */
const TAIL_LINES = 8;

const END = '\n*** End Patch';

const KINDS = { Add: 'add', Update: 'update', Delete: 'delete' } as const;

/**
 * Returns a reader for one growing patch. Each call takes the whole text so far, but reads only what was added since
 * the last call. The last file is the one that the model is writing. An incomplete last line is not counted.
 */
export function patchReader(): (patch: string) => readonly GrowingFile[] {
  let files: readonly GrowingFile[] = [];
  let read = 0;
  return (patch) => {
    // This is another text, for example from a snapshot: start again.
    if (patch.length < read || (read > 0 && patch[read - 1] !== '\n')) [files, read] = [[], 0];
    const end = patch.lastIndexOf('\n') + 1;
    if (end > read) files = withLines(files, patch.slice(read, end - 1).split('\n'));
    read = Math.max(read, end);
    return files;
  };
}

function withLines(before: readonly GrowingFile[], lines: readonly string[]): readonly GrowingFile[] {
  const files = before.map((file) => ({ ...file }));
  for (const line of lines) {
    const [, verb, path] = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(line) ?? [];
    const file = files.at(-1);
    if (path !== undefined)
      files.push({ path: path.trim(), kind: KINDS[verb as keyof typeof KINDS], added: 0, removed: 0 });
    else if (file !== undefined && line.startsWith('+')) file.added++;
    else if (file !== undefined && line.startsWith('-')) file.removed++;
  }
  return files;
}

/** Returns true once the model has written the last line of the patch. */
export function isWritten(patch: string): boolean {
  return patch
    .slice(-2 * END.length)
    .trimEnd()
    .endsWith(END);
}

/** Returns the last complete lines of the file that is being written. */
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
