import { binaryDiff, unifiedDiff } from '../patch/unifiedDiff.ts';
import type { FileChange } from '../ports.ts';
import { assertNever } from '../util/assertNever.ts';

/** One file as the turn found it and as it is now; `null` where there was or is none. */
interface FileHistory {
  /** Where it was when the turn began. */
  readonly origin: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Files that are only named, as of a command that changed thousands. */
const MAX_NAMED = 1_000;

/** All that the patches and commands of a turn have changed, as one diff against what it found. */
export class TurnDiff {
  /** By where the file is now, or was last. */
  readonly #files = new Map<string, FileHistory>();
  /** Changed by commands, and shown without their lines. */
  readonly #named = new Set<string>();
  readonly #diffs = new WeakMap<FileHistory, string>();
  #news = false;

  /** Changed files that are not text, or too many to be shown. */
  name(paths: readonly string[]): void {
    for (const path of paths) if (this.#named.size < MAX_NAMED) this.#named.add(path);
    this.#news ||= paths.length > 0;
  }

  get isEmpty(): boolean {
    return this.#files.size === 0 && this.#named.size === 0;
  }

  add(changes: readonly FileChange[]): void {
    for (const change of changes) this.#addOne(change);
    this.#news ||= changes.length > 0;
  }

  /** Whether anything was added since the last call. */
  takeUpdate(): boolean {
    const news = this.#news;
    this.#news = false;
    return news;
  }

  /** Git format, paths from `cwd`. */
  unifiedDiff(cwd: string): string {
    const diffs = [...this.#files].map(([path, file]) => this.#diffOf(path, file, cwd));
    const named = [...this.#named].filter((path) => !this.#files.has(path));
    return diffs.join('') + named.map((path) => binaryDiff(path, cwd)).join('');
  }

  /** Computed once as long as the file stays as it is: the diff of a turn is emitted again and again. */
  #diffOf(path: string, file: FileHistory, cwd: string): string {
    const known = this.#diffs.get(file);
    if (known !== undefined) return known;
    const change = netChange(path, file);
    const diff = change === undefined ? '' : unifiedDiff(change, cwd).text;
    this.#diffs.set(file, diff);
    return diff;
  }

  #addOne(change: FileChange): void {
    switch (change.kind) {
      case 'add':
        return this.#set(change.path, change.before, change.text);
      case 'delete':
        return this.#set(change.path, change.before ?? '', null);
      case 'update':
        if (change.movedTo === null) return this.#set(change.path, change.before, change.after);
        return this.#move(change.path, change.movedTo, change);
      default:
        return assertNever(change);
    }
  }

  #set(path: string, before: string | null, after: string | null): void {
    const known = this.#files.get(path);
    this.#files.set(path, { origin: known?.origin ?? path, before: known ? known.before : before, after });
  }

  #move(from: string, to: string, change: { before: string; after: string; movedOver: string | null }): void {
    const source = this.#files.get(from) ?? { origin: from, before: change.before };
    const replaced = this.#files.get(to)?.before ?? change.movedOver;
    if (replaced === null) {
      this.#files.delete(from);
      this.#files.set(to, { ...source, after: change.after });
    } else {
      this.#files.set(from, { ...source, after: null });
      this.#files.set(to, { origin: to, before: replaced, after: change.after });
    }
  }
}

/** `undefined` when the file ends as it began. */
function netChange(path: string, { origin, before, after }: FileHistory): FileChange | undefined {
  if (before === after && origin === path) return undefined;
  if (after === null) return { kind: 'delete', path: origin, before };
  if (before === null) return { kind: 'add', path, text: after, before };
  const movedTo = origin === path ? null : path;
  return { kind: 'update', path: origin, before, after, hunks: [], movedTo, movedOver: null };
}
