import { binaryDiff, unifiedDiff } from '../patch/unifiedDiff.ts';
import type { FileChange } from '../ports.ts';
import { assertNever } from '../util/assertNever.ts';

/** The text of one file before the turn and now; `null` where there was or is none. */
interface FileHistory {
  /** Its path when the turn started. */
  readonly origin: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The number of files that are only named, as when a command has changed thousands. */
const MAX_NAMED = 1_000;

/** All changes by patches and commands of a turn, as one diff against the text before it. */
export class TurnDiff {
  /** By the file's current or last path. */
  readonly #files = new Map<string, FileHistory>();
  /** Files that commands have changed, shown without their lines. */
  readonly #named = new Set<string>();
  readonly #diffs = new WeakMap<FileHistory, string>();
  #hasUpdate = false;

  /** Changed files that are not text, or too many to be shown. */
  name(paths: readonly string[]): void {
    for (const path of paths) if (this.#named.size < MAX_NAMED) this.#named.add(path);
    this.#hasUpdate ||= paths.length > 0;
  }

  get isEmpty(): boolean {
    return this.#files.size === 0 && this.#named.size === 0;
  }

  /** `known`: diffs of these changes that the caller has computed. */
  add(changes: readonly FileChange[], known: ReadonlyMap<FileChange, string> = new Map()): void {
    for (const change of changes) {
      const isFirst = !this.#files.has(change.path);
      this.#addOne(change);
      const diff = known.get(change);
      const file = this.#files.get(change.path);
      if (isFirst && diff !== undefined && file !== undefined) this.#diffs.set(file, diff);
    }
    this.#hasUpdate ||= changes.length > 0;
  }

  /** True when a change was added since the last call. */
  takeUpdate(): boolean {
    const hasUpdate = this.#hasUpdate;
    this.#hasUpdate = false;
    return hasUpdate;
  }

  /** Returns the diff in git format, with paths relative to `cwd`. */
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

/** Returns `undefined` when the file is unchanged after all. */
function netChange(path: string, { origin, before, after }: FileHistory): FileChange | undefined {
  if (before === after && origin === path) return undefined;
  if (after === null) return { kind: 'delete', path: origin, before };
  if (before === null) return { kind: 'add', path, text: after, before };
  const movedTo = origin === path ? null : path;
  return { kind: 'update', path: origin, before, after, hunks: [], movedTo, movedOver: null };
}
