import type { Storage } from '../ports.ts';
import { isBelow } from '../util/pathBelow.ts';
import type { SecretRedactor } from '../util/secretRedactor.ts';
import { formatMemory, isEditedMemory, parseMemory, type ThreadMemory } from './memoryFile.ts';
import { threadIdIn } from './recorder.ts';

/** In TILLER_HOME; the names are ids of threads. */
export const MEMORIES_FOLDER = 'memories';
const ENDING = '.md';
/** The oldest beyond these are removed, unless the user has edited them. */
const MOST_MEMORIES = 200;
/** The size limit for reading a file that the user may have extended. */
const MAX_READ_BYTES = 64 * 1024;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type MemoryStorage = Pick<Storage, 'listFiles' | 'statFiles' | 'readBytes' | 'readText' | 'writeText' | 'remove'>;

export interface MemoryPorts {
  readonly storage: MemoryStorage;
  readonly keys: Pick<SecretRedactor, 'hide'>;
}

/** The memories of all threads: one file for each, in TILLER_HOME, for the user alone. */
export class ThreadMemories {
  readonly #storage: MemoryStorage;
  readonly #keys: Pick<SecretRedactor, 'hide'>;

  constructor({ storage, keys }: MemoryPorts) {
    this.#storage = storage;
    this.#keys = keys;
  }

  /** A file that the user has edited stays as it is. Keys that Tiller holds are redacted. @throws the error of the disk */
  async write(memory: ThreadMemory): Promise<void> {
    const path = memoryPath(memory.threadId);
    if (path === undefined) return;
    const known = await this.#storage.readText(path);
    if (known !== undefined && isEditedMemory(known)) return;
    const hide = (text: string) => this.#keys.hide(text);
    const redacted = {
      ...memory,
      title: hide(memory.title),
      folder: hide(memory.folder),
      trace: hide(memory.trace),
      summary: hide(memory.summary),
    };
    await this.#storage.writeText(path, formatMemory(redacted));
    if (known === undefined) await this.#removeOldest();
  }

  /** Any text may be given as the id. `undefined` where there is no memory, also of a thread in the trash. */
  async read(threadId: string): Promise<ThreadMemory | undefined> {
    const path = memoryPath(threadId);
    if (path === undefined || (await this.#inTrash()).has(threadId)) return undefined;
    return this.#readFile(threadId, path);
  }

  /** Newest first; with a folder those of threads that worked in it, above it or below it. */
  async list(folder?: string): Promise<readonly ThreadMemory[]> {
    const trashed = await this.#inTrash();
    const found: ThreadMemory[] = [];
    for (const { path, threadId } of await this.#files()) {
      if (trashed.has(threadId)) continue;
      const memory = await this.#readFile(threadId, path).catch(() => undefined);
      if (memory === undefined) continue;
      if (folder === undefined || isBelow(memory.folder, folder) || isBelow(folder, memory.folder)) found.push(memory);
    }
    return found.toSorted((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1));
  }

  async #readFile(threadId: string, path: string): Promise<ThreadMemory | undefined> {
    const bytes = await this.#storage.readBytes(path, 0, MAX_READ_BYTES);
    return parseMemory(threadId, new TextDecoder().decode(bytes));
  }

  async #files() {
    return (await this.#storage.statFiles(MEMORIES_FOLDER)).flatMap(({ path, modifiedAt }) => {
      const threadId = path.slice(MEMORIES_FOLDER.length + 1, -ENDING.length);
      return memoryPath(threadId) === path ? [{ path, threadId, modifiedAt }] : [];
    });
  }

  async #inTrash(): Promise<ReadonlySet<string>> {
    return new Set((await this.#storage.listFiles('bin')).map(threadIdIn));
  }

  async #removeOldest(): Promise<void> {
    const newestFirst = (await this.#files()).toSorted((one, other) => other.modifiedAt - one.modifiedAt);
    for (const { path } of newestFirst.slice(MOST_MEMORIES)) {
      const text = await this.#storage.readText(path);
      if (text !== undefined && !isEditedMemory(text)) await this.#storage.remove(path);
    }
  }
}

/** The memories of other threads for a thread in this folder, newest first. Never rejects. */
export async function listMemories(
  folder: string,
  threadId: string,
  ports: MemoryPorts,
): Promise<readonly ThreadMemory[]> {
  const memories = await new ThreadMemories(ports).list(folder).catch(() => []);
  return memories.filter((memory) => memory.threadId !== threadId);
}

/** The path in TILLER_HOME; `undefined` if the text is no thread id. */
export function memoryPath(threadId: string): string | undefined {
  return ID.test(threadId) ? `${MEMORIES_FOLDER}/${threadId}${ENDING}` : undefined;
}
