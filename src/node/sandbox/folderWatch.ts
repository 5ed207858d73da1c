/**
 * Tells which folders something has happened in, so that a look at a large tree after each command can leave out the
 * others. The kernel queues an event before the program that caused it goes on (inotify(7)): when a command has ended all
 * of its events are there. Whenever one may be missing the answer is that nothing is known, and everything is looked at.
 *
 * The queue belongs to a thread of our own that sleeps: in this one Node would read it, together with all that others
 * watch here, and would not say when something was lost. It is read from here, though: to wake the thread can take longer
 * than to look at everything.
 */
import { readFileSync, statfsSync, type Stats } from 'node:fs';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { watchFolders, type WatchAnswer, type WatchLine } from './folderWatchThread.ts';
import { queuedChanges } from './watchQueue.ts';

/** Of which the kernel hears every change: ext, XFS, tmpfs, F2FS (statfs(2)). */
const LOCAL_FILE_SYSTEMS: ReadonlySet<number> = new Set([0xef53, 0x5846_5342, 0x0102_1994, 0xf2f5_2010]);
/** Where a user may have fewer watches in all, they are left to editors. */
const ENOUGH_WATCHES = 65_536;
/** Watches are only given back with the thread: after so many another one takes over. */
const MAX_WATCHES = 20_000;
/** After something was lost; twice as long each time. */
const PAUSE_MS = 10_000;
/** Without another command nobody needs to know. */
const IDLE_MS = 20_000;

interface Running {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly signal: Int32Array;
  watches: number;
  /** While the thread is at work, or has died of it, the descriptor may be anybody's. */
  state: { readonly type: 'busy' } | { readonly type: 'asleep'; readonly descriptor: number };
}

export class FolderWatch {
  #running: Running | undefined;
  /** By their numbers in the queue. */
  readonly #names = new Map<number, string>();
  #watched = new Set<string>();
  #mounts = '';
  #pauseMs = PAUSE_MS;
  #notBefore = hasWatches() ? 0 : Infinity;
  #idle: NodeJS.Timeout | undefined;

  /** Watches these, too. That takes the thread a while. */
  add(folders: readonly string[]): void {
    if (performance.now() < this.#notBefore || this.#running?.state.type === 'busy') return;
    if ((this.#running?.watches ?? 0) + folders.length > MAX_WATCHES) this.close();
    try {
      this.#running ??= this.#start();
      this.#running.state = { type: 'busy' };
      this.#running.watches += folders.length;
      this.#running.port.postMessage(folders);
      Atomics.add(this.#running.signal, 0, 1);
      Atomics.notify(this.#running.signal, 0);
    } catch {
      this.#lose();
    }
  }

  /** Names of the watched folders that something has happened in since the last call; `undefined` if that is not known. */
  changes(): ReadonlySet<string> | undefined {
    clearTimeout(this.#idle);
    const state = this.#running?.state;
    try {
      switch (state?.type) {
        case 'asleep':
          return this.#read(state.descriptor);
        case 'busy':
          // What has happened before is not known.
          return this.#takeAnswer();
        case undefined:
          return undefined;
      }
    } catch {
      return this.#lose();
    }
  }

  #takeAnswer(): undefined {
    if (this.#running === undefined) return;
    const answer: WatchAnswer | undefined = receiveMessageOnPort(this.#running.port)?.message;
    if (answer?.type === 'failed') this.#lose();
    if (answer?.type !== 'watching') return;
    this.#running.state = { type: 'asleep', descriptor: answer.descriptor };
    this.#mounts = mountsNow();
    for (const [id, name] of answer.names) this.#names.set(id, name);
    this.#watched = new Set(answer.names.values());
  }

  #read(descriptor: number): ReadonlySet<string> | undefined {
    const changed = new Set<string>();
    for (const { id, isLast } of queuedChanges(descriptor)) {
      if (id === -1) return this.#lose();
      const name = this.#names.get(id);
      if (name === undefined) continue;
      changed.add(name);
      if (!isLast) continue;
      this.#names.delete(id);
      this.#watched.delete(name);
    }
    // What is mounted on a folder takes its place, and no event tells of that.
    const mounts = this.#mounts;
    this.#mounts = mountsNow();
    return this.#mounts === mounts ? changed : undefined;
  }

  /** The name of a folder that is watched: whatever happens in it from now on, `changes` will tell. */
  nameOf(folder: Stats): string | undefined {
    if (this.#watched.size === 0) return undefined;
    const name = nameInQueue(folder);
    return this.#watched.has(name) ? name : undefined;
  }

  /** No further command is expected just now. */
  rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
  }

  close(): void {
    clearTimeout(this.#idle);
    void this.#running?.worker.terminate();
    this.#running = undefined;
    this.#names.clear();
    this.#watched.clear();
  }

  #start(): Running {
    const { port1: port, port2 } = new MessageChannel();
    const signal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const line: WatchLine = { port: port2, signal };
    const worker = new Worker(`(${String(watchFolders)})(require('node:fs'), require('node:worker_threads'));`, {
      eval: true,
      workerData: line,
      transferList: [port2],
      execArgv: [],
      env: {},
      resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 },
    });
    worker.unref();
    const ended = () => {
      if (this.#running?.worker === worker) this.#lose();
    };
    worker.on('error', ended).on('exit', ended);
    return { worker, port, signal, watches: 0, state: { type: 'busy' } };
  }

  #lose(): undefined {
    this.close();
    this.#notBefore = performance.now() + this.#pauseMs;
    this.#pauseMs *= 2;
  }
}

/** Whether nothing can change in a folder without the kernel hearing of it: not what is on another machine. */
export function tellsOfChanges(folder: string): boolean {
  try {
    return LOCAL_FILE_SYSTEMS.has(statfsSync(folder).type);
  } catch {
    return false;
  }
}

/** Only Linux has this file. */
function hasWatches(): boolean {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8')) >= ENOUGH_WATCHES;
  } catch {
    return false;
  }
}

function mountsNow(): string {
  return readFileSync('/proc/self/mountinfo', 'utf8');
}

/** Device and inode in hexadecimal, the device as the kernel counts it (linux/kdev_t.h) and not as programs do (makedev(3)). */
function nameInQueue({ dev, ino }: Stats): string {
  const major = (dev >>> 8) & 0xfff;
  const minor = (dev & 0xff) | ((dev >>> 12) & 0xfff00);
  return `${(major * 2 ** 20 + minor).toString(16)}:${ino.toString(16)}`;
}
