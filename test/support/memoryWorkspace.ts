/** A working fake of `Workspace`: files in a map, with the behaviour of the real one. */
import { posix } from 'node:path';
import {
  WorkspaceError,
  type ApplyResult,
  type DirectoryEntry,
  type FileChange,
  type FilePlace,
  type FilePlaces,
  type FileStat,
  type AppliedFile,
  type TextFile,
  type Workspace,
} from '../../src/core/ports.ts';

type Content = string | Uint8Array;

export class MemoryWorkspace implements Workspace {
  readonly roots: readonly string[];
  /** The saved files. Bytes that are not text are kept as bytes. */
  readonly #disk = new Map<string, Content>();
  /** Open documents with unsaved edits. */
  readonly #dirty = new Map<string, string>();
  #failingWrite: number | undefined;

  /** Creates a workspace. Paths are relative to the root, or absolute. */
  constructor(files: Readonly<Record<string, Content>> = {}, root = '/work') {
    this.roots = [root];
    for (const [path, content] of Object.entries(files)) this.#disk.set(this.#absolute(path), content);
  }

  /** Returns the saved texts by path, which is relative to the root if it is inside. */
  files(): Record<string, Content> {
    const byName = [...this.#disk].map(([path, content]) => [this.#shown(path), content] as const);
    return Object.fromEntries(byName.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** Returns the text in the editor, unsaved edits included. */
  text(path: string): string | undefined {
    const content = this.#content(this.#absolute(path));
    return typeof content === 'string' ? content : undefined;
  }

  /** Simulates that the user edits a file without saving it. */
  type(path: string, text: string): void {
    this.#dirty.set(this.#absolute(path), text);
  }

  async save(paths: readonly string[]): Promise<readonly string[]> {
    for (const absolute of paths.map((path) => this.#absolute(path))) {
      const text = this.#dirty.get(absolute);
      if (text !== undefined) this.#disk.set(absolute, text);
      this.#dirty.delete(absolute);
    }
    return [];
  }

  /** Simulates that another program writes or removes the file. */
  writeBehind(path: string, content: Content | null): void {
    if (content === null) this.#disk.delete(this.#absolute(path));
    else this.#disk.set(this.#absolute(path), content);
  }

  /** Makes the write with this number fail, counted from 0 within the next `apply`. */
  failWrite(index: number): void {
    this.#failingWrite = index;
  }

  /** The symbolic links of the user, with their targets. */
  readonly links = new Map<string, string>();

  async realPath(path: string): Promise<string> {
    return this.links.get(this.#absolute(path)) ?? this.#absolute(path);
  }

  async places(paths: readonly string[]): Promise<ReadonlyMap<string, FilePlace | WorkspaceError>> {
    return new Map(paths.map((path) => [path, this.#place(path)]));
  }

  async readPlaces(places: FilePlaces, signal?: AbortSignal): Promise<ReadonlyMap<string, TextFile | WorkspaceError>> {
    const files = [...places].map(async ([path, place]) => {
      const isThere = this.#place(path).target === place.target;
      const moved = new WorkspaceError('moved', path, `${path} leads elsewhere now.`);
      const found = isThere ? await this.read(path, signal).catch((error: unknown) => asWorkspaceError(error)) : moved;
      return [path, found] as const;
    });
    return new Map(await Promise.all(files));
  }

  async read(path: string, signal?: AbortSignal): Promise<TextFile> {
    signal?.throwIfAborted();
    const absolute = this.#absolute(path);
    const content = this.#contentOrThrow(absolute);
    if (typeof content !== 'string') throw new WorkspaceError('not_text', path, `${path} is not text.`);
    const isOpen = this.#dirty.has(absolute);
    return { text: content, source: isOpen ? 'buffer' : 'disk', dirty: isOpen };
  }

  async readBytes(path: string, options?: { maxBytes?: number; signal?: AbortSignal }): Promise<Uint8Array> {
    options?.signal?.throwIfAborted();
    const content = this.#contentOrThrow(this.#absolute(path));
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    if (bytes.length <= (options?.maxBytes ?? Infinity)) return bytes;
    throw new WorkspaceError(
      'too_large',
      path,
      `${path} has ${bytes.length} bytes; the limit is ${options?.maxBytes}.`,
    );
  }

  async stat(path: string): Promise<FileStat | undefined> {
    const absolute = this.#absolute(path);
    const content = this.#content(absolute);
    const common = { symbolicLink: this.links.has(absolute), modifiedAt: 0 };
    if (content !== undefined) return { type: 'file', size: Buffer.byteLength(content), ...common };
    return this.#isFolder(absolute) ? { type: 'directory', size: 0, ...common } : undefined;
  }

  async list(path: string): Promise<readonly DirectoryEntry[]> {
    const absolute = this.#absolute(path);
    if (!this.#isFolder(absolute)) throw new WorkspaceError('not_found', path, `${path} does not exist.`);
    const entries = new Map<string, DirectoryEntry>();
    for (const file of this.#disk.keys()) {
      const inner = posix.relative(absolute, file);
      const [name = '', ...rest] = inner.split('/');
      if (name !== '' && name !== '..') entries.set(name, { name, type: rest.length > 0 ? 'directory' : 'file' });
    }
    return [...entries.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  async apply(changes: readonly FileChange[], signal?: AbortSignal): Promise<ApplyResult> {
    signal?.throwIfAborted();
    const stale = changes.flatMap((change) => this.#stalePaths(change, changes));
    if (stale.length > 0) return { type: 'stale', paths: stale };
    const folder = changes.find((change) => this.#isFolder(this.#absolute(landsAt(change))));
    if (folder) return { type: 'failed', message: `${landsAt(folder)} is a directory.`, notRestored: [] };

    const held = changes.find((change) => this.#discards(change) && change.discardsUnsaved !== true);
    if (held) return { type: 'failed', message: `${held.path} has unsaved edits of the user.`, notRestored: [] };

    const failing = this.#failingWrite;
    this.#failingWrite = undefined;
    if (failing !== undefined && failing < changes.length) {
      const path = landsAt(changes[failing] as FileChange);
      return { type: 'failed', message: `${path} cannot be written: the disk is full.`, notRestored: [] };
    }
    const written = new Set(
      changes.flatMap((change) => (change.kind === 'delete' ? [] : this.#absolute(landsAt(change)))),
    );
    return { type: 'applied', files: changes.map((change) => this.#apply(change, written)) };
  }

  unsavedFiles(): readonly string[] {
    return [...this.#dirty.keys()];
  }

  #place(path: string): FilePlace {
    const name = this.#absolute(path);
    return { name, target: this.links.get(name) ?? name };
  }

  #discards(change: FileChange): boolean {
    const staysInPlace = change.kind === 'update' && change.movedTo === null;
    return !staysInPlace && [change.path, landsAt(change)].some((path) => this.#dirty.has(this.#absolute(path)));
  }

  #apply(change: FileChange, written: ReadonlySet<string>): AppliedFile {
    const source = this.#absolute(change.path);
    const target = this.#absolute(landsAt(change));
    const wasDirty = this.#dirty.has(source);
    if (change.kind === 'update' && wasDirty && target === source) this.#dirty.set(target, change.after);
    else if (change.kind !== 'delete') this.#disk.set(target, change.kind === 'add' ? change.text : change.after);
    if (change.kind === 'delete' || target !== source) {
      this.#dirty.delete(source);
      if (!written.has(source)) this.#disk.delete(source);
    }
    return { path: landsAt(change), saved: !(wasDirty && target === source), reformatted: false };
  }

  #stalePaths(change: FileChange, all: readonly FileChange[]): string[] {
    const removed = new Set(all.flatMap((other) => (other.kind === 'add' ? [] : this.#absolute(other.path))));
    const textAt = (path: string): string | null => {
      const content = this.#content(this.#absolute(path));
      return typeof content === 'string' ? content : null;
    };
    const stale = change.kind === 'add' && removed.has(this.#absolute(change.path)) ? [] : [change.path];
    if (stale.length > 0 && textAt(change.path) !== change.before) return stale;
    if (change.kind === 'delete' && this.#content(this.#absolute(change.path)) === undefined) return stale;
    if (change.kind !== 'update' || change.movedTo === null) return [];
    const isFree = removed.has(this.#absolute(change.movedTo)) || textAt(change.movedTo) === change.movedOver;
    return isFree ? [] : [change.movedTo];
  }

  #content(absolute: string): Content | undefined {
    return this.#dirty.get(absolute) ?? this.#disk.get(absolute);
  }

  #contentOrThrow(absolute: string): Content {
    const content = this.#content(absolute);
    if (content !== undefined) return content;
    if (this.#isFolder(absolute)) throw new WorkspaceError('is_directory', absolute, `${absolute} is a directory.`);
    throw new WorkspaceError('not_found', absolute, `${absolute} does not exist.`);
  }

  #isFolder(absolute: string): boolean {
    const isBelow = (path: string) => path.startsWith(absolute === '/' ? '/' : `${absolute}/`);
    return this.roots.includes(absolute) || [...this.#disk.keys()].some(isBelow);
  }

  #absolute(path: string): string {
    return posix.resolve(this.roots[0] ?? '/', path);
  }

  #shown(absolute: string): string {
    const relative = posix.relative(this.roots[0] ?? '/', absolute);
    return relative.startsWith('..') ? absolute : relative;
  }
}

function asWorkspaceError(error: unknown): WorkspaceError {
  if (error instanceof WorkspaceError) return error;
  throw error;
}

function landsAt(change: FileChange): string {
  return change.kind === 'update' ? (change.movedTo ?? change.path) : change.path;
}
