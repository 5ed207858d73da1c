import { unifiedDiffOfAll } from '../patch/unifiedDiff.ts';
import type { FileChange } from '../ports.ts';
import { assertNever } from '../util/assertNever.ts';

/** The text of one file before the turn and now; `null` where there was or is none. */
interface FileHistory {
  /** Its path when the turn started. */
  readonly origin: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** All changes that a turn has applied, as one diff against the text before it. */
export class TurnDiff {
  /** By the file's current or last path. */
  readonly #files = new Map<string, FileHistory>();
  #hasUpdate = false;

  add(changes: readonly FileChange[]): void {
    for (const change of changes) this.#addOne(change);
    this.#hasUpdate ||= changes.length > 0;
  }

  /** True when a change was added since the last call. */
  takeUpdate(): boolean {
    const hasUpdate = this.#hasUpdate;
    this.#hasUpdate = false;
    return hasUpdate;
  }

  /** In git format, with paths relative to `cwd`. */
  unifiedDiff(cwd: string): string {
    const changes = [...this.#files].flatMap(([path, file]) => netChange(path, file) ?? []);
    return unifiedDiffOfAll(changes, cwd).text;
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
