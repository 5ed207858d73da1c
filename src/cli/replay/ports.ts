/**
 * The ports of a replay: everything is in memory, as the rollout describes it. A replay reads, writes and starts
 * nothing on the machine, and sends requests only to its own server.
 */
import path from 'node:path';
import {
  type AppendFile,
  type Locks,
  type Ports,
  type Storage,
  type StoredFile,
  type Workspace,
  WorkspaceError,
} from '../../core/ports.ts';
import { localDay } from '../../core/util/localDay.ts';
import { SecretRedactor } from '../../core/util/secretRedactor.ts';
import { systemClock } from '../../node/host/clock.ts';
import { createNodeFetch } from '../../node/network/fetch.ts';
import { isPrivateName } from '../../node/network/privateAddresses.ts';

const ABSENT = 'A replay has no files and no commands.';

/** The parts of a replay that change between turns. */
export interface ReplayWorld {
  /** ISO 8601. */
  now: string;
  shell: string;
  timeZone: string;
  readonly platform: 'linux' | 'darwin';
  /** The files by their absolute paths. */
  readonly files: Map<string, Uint8Array | string>;
  /** The working directories of the turns until now. */
  readonly folders: Set<string>;
  readonly stored: MemoryFiles;
  /** Receives each line that a session appends. */
  onAppend: (text: string) => void;
}

type MemoryFiles = Map<string, string>;

/** Creates the ports of a replay. `origin`: that of the only server that can be reached. */
export function replayPorts(world: ReplayWorld, threadId: string, home: string, origin: string): Ports {
  const fetch = createNodeFetch({});
  let ids = 0;
  return {
    keys: new SecretRedactor(),
    workspace: workspaceOf(world),
    exec: { spawn: () => Promise.reject(new Error(ABSENT)) },
    storage: storageOf(world, home),
    audit: { append: () => {}, latest: async () => [] },
    locks: locks(),
    fetch: (address, init) => {
      const url = new URL(address);
      return url.origin === origin
        ? fetch(url, init)
        : Promise.reject(new Error(`A replay does not reach ${url.origin}.`));
    },
    secrets: { keyFor: async () => undefined },
    clock: { ...systemClock, now: () => new Date(world.now) },
    ids: { uuid: () => threadId, next: (prefix) => `${prefix}_replay${++ids}`, random: () => 0.5 },
    regexps: { compile: () => () => false },
    images: { scale: () => Promise.reject(new Error(ABSENT)) },
    web: { isPrivate: isPrivateName, get: () => Promise.reject(new Error(ABSENT)) },
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    host: {
      platform: world.platform,
      homeDirectory: '/',
      get shell() {
        return world.shell;
      },
      get timeZone() {
        return world.timeZone;
      },
      localDay: (at) => localDay(at, world.timeZone),
      environment: {},
    },
  };
}

function workspaceOf({ files, folders }: ReplayWorld): Workspace {
  const absent = (file: string) => new WorkspaceError('not_found', file, `${file} does not exist.`);
  const bytesOf = (file: string): Uint8Array => {
    const found = files.get(file);
    if (found === undefined) throw absent(file);
    if (typeof found === 'string') throw new WorkspaceError('io', file, found);
    return found;
  };
  return {
    roots: [],
    read: async (file) => ({ text: Buffer.from(bytesOf(file)).toString(), source: 'disk', dirty: false }),
    readBytes: async (file) => bytesOf(file),
    stat: async (file) => {
      const type = folders.has(file) ? 'directory' : files.has(file) ? 'file' : undefined;
      return type && { type, symbolicLink: false, size: 0, modifiedAt: 0 };
    },
    realPath: async (file) => file,
    places: async (paths) => new Map(paths.map((file) => [file, absent(file)])),
    readPlaces: async (places) => new Map([...places.keys()].map((file) => [file, absent(file)])),
    list: async () => [],
    apply: async () => ({ type: 'failed', message: ABSENT, notRestored: [] }),
    unsavedFiles: () => [],
    save: async (paths) => paths,
  };
}

function storageOf(world: ReplayWorld, home: string): Storage {
  const { stored } = world;
  const write = async (file: string, text: string) => void stored.set(file, text);
  const below = (folder: string) => [...stored.keys()].filter((file) => file.startsWith(`${folder}/`)).toSorted();
  return {
    home,
    openAppend: async (file): Promise<AppendFile> => {
      if (!stored.has(file)) stored.set(file, '');
      return {
        path: path.join(home, file),
        append: (given) => {
          const text = typeof given === 'string' ? given : [...given].join('');
          stored.set(file, (stored.get(file) ?? '') + text);
          world.onAppend(text);
        },
        sync: async () => {},
        close: async () => {},
      };
    },
    readText: async (file) => stored.get(file),
    stamp: async (file) => stored.get(file),
    writeText: write,
    updateText: async (file, change) => write(file, change(stored.get(file))),
    writeBytes: async (file, bytes) => write(file, Buffer.from(bytes).toString()),
    readBytes: async (file, from, length) => Buffer.from(stored.get(file) ?? '').subarray(from, from + length),
    listFiles: async (folder) => below(folder),
    unreadable: async () => [],
    statFiles: async (folder): Promise<readonly StoredFile[]> =>
      below(folder).map((file) => ({ path: file, size: Buffer.byteLength(stored.get(file) ?? ''), modifiedAt: 0 })),
    move: async (from, to) => {
      const text = stored.get(from);
      if (text === undefined) throw new Error(`There is no ${from}.`);
      stored.delete(from);
      stored.set(to, text);
    },
    remove: async (file) => void stored.delete(file),
  };
}

function locks(): Locks {
  return {
    acquire: async () => ({ type: 'held', lock: { release: async () => {} } }),
    ask: async () => async () => {},
    owners: async () => new Map(),
  };
}
