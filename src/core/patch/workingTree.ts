/**
 * The files of a patch as they would be after each of its operations. Records which file each text came from, so that
 * the net change of every file can be computed at the end.
 */
import { dirname } from 'node:path';
import { type TextLines, textLines } from './lines.ts';

/**
 * The state of a path before planning. `missing` means that the path does not exist and that no file is in the place of
 * one of its folders; otherwise it is `unreadable`.
 */
export type FileSnapshot =
  /** `isCells`: the text is that of the cells of an open notebook. */
  | { readonly type: 'text'; readonly text: string; readonly isCells?: boolean | undefined }
  | { readonly type: 'missing' }
  | { readonly type: 'directory' }
  | { readonly type: 'not_text' }
  | { readonly type: 'unreadable'; readonly message: string };

export type TreeEntry =
  | {
      readonly type: 'text';
      readonly lines: TextLines;
      /** The file that the original lines came from; `null` when the patch wrote the text. */
      readonly source: string | null;
    }
  | Exclude<FileSnapshot, { type: 'text' }>;

export interface WorkingTree {
  get(path: string): TreeEntry;
  /** Writes a file, and creates the folders above it. */
  write(path: string, lines: TextLines, source: string | null): void;
  remove(path: string): void;
  /** The reason why no file can be written there; `undefined` when one can. */
  obstacle(path: string): string | undefined;
  /** The state of the path before the patch. */
  found(path: string): FileSnapshot;
  /** Returns the lines of a file as it was found; empty if it was not text. */
  foundLines(path: string): TextLines;
  /** Paths that were written or removed, in the order of their first change. */
  readonly touched: Iterable<string>;
}

export function createWorkingTree(files: ReadonlyMap<string, FileSnapshot>): WorkingTree {
  const entries = new Map<string, TreeEntry>();
  const split = new Map<string, TextLines>();
  /** Created folders stay when their last file is removed. */
  const madeFolders = new Set<string>();

  function get(path: string): TreeEntry {
    if (madeFolders.has(path)) return { type: 'directory' };
    const known = entries.get(path);
    if (known !== undefined) return known;
    const snapshot = found(path);
    if (snapshot.type === 'text') return { type: 'text', lines: foundLines(path), source: path };
    const freed = snapshot.type === 'unreadable' && ancestorsOf(path).some((folder) => wasFile(folder));
    return freed ? { type: 'missing' } : snapshot;
  }

  function found(path: string): FileSnapshot {
    return files.get(path) ?? { type: 'missing' };
  }

  function foundLines(path: string): TextLines {
    const snapshot = found(path);
    const lines = split.get(path) ?? textLines(snapshot.type === 'text' ? snapshot.text : '');
    split.set(path, lines);
    return lines;
  }

  function wasFile(path: string): boolean {
    const { type } = found(path);
    return type === 'text' || type === 'not_text';
  }

  function isFile(path: string): boolean {
    const { type } = entries.get(path) ?? found(path);
    return type === 'text' || type === 'not_text';
  }

  return {
    get,
    found,
    foundLines,
    write(path, lines, source) {
      entries.set(path, { type: 'text', lines, source });
      for (const folder of ancestorsOf(path)) madeFolders.add(folder);
    },
    remove(path) {
      entries.set(path, { type: 'missing' });
    },
    obstacle(path) {
      const blocking = ancestorsOf(path).find((folder) => isFile(folder));
      if (blocking !== undefined) return `${blocking} is a file, not a folder`;
      const entry = get(path);
      if (entry.type === 'directory') return 'it is a folder';
      return entry.type === 'unreadable' ? entry.message : undefined;
    },
    get touched() {
      return entries.keys();
    },
  };
}

function ancestorsOf(path: string): string[] {
  const ancestors: string[] = [];
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) ancestors.push(folder);
  return ancestors;
}
