/** The thread of `FolderWatch`, and what the two say to each other. */
import type * as Fs from 'node:fs';
import type * as Threads from 'node:worker_threads';

export interface WatchLine {
  /** Folders that shall be watched, too, come here, and a `WatchAnswer` goes back. */
  readonly port: Threads.MessagePort;
  /** Counts what was sent. */
  readonly signal: Int32Array;
}

export type WatchAnswer =
  | {
      readonly type: 'watching';
      /** Of the inotify instance. */
      readonly descriptor: number;
      /** By their numbers in it, all the folders that are watched, named by device and inode as /proc does. */
      readonly names: ReadonlyMap<number, string>;
    }
  | { readonly type: 'failed' };

/**
 * Given to the thread as text: it may use nothing but its arguments.
 *
 * Node makes an inotify instance and puts folders into it, but reads it only when the thread's event loop turns, which it
 * never does: that is left to `FolderWatch`. What is watched, whatever a path may have led to meanwhile, stands in /proc
 * (proc_pid_fdinfo(5)).
 */
export function watchFolders(fs: typeof Fs, { workerData, receiveMessageOnPort }: typeof Threads): void {
  const { port, signal } = workerData as WatchLine;
  const watchLine = /^inotify wd:(\w+) ino:(\w+) sdev:(\w+)/gm;
  let instance: string | undefined;

  /** None if this descriptor is something else. */
  const watchesOf = (descriptor: string) => {
    try {
      return [...fs.readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8').matchAll(watchLine)];
    } catch {
      return [];
    }
  };

  /** Others have theirs in this process; only ours watches the folder that /proc has of this thread. */
  const makeInstance = () => {
    const thread = '/proc/thread-self';
    fs.watch(thread);
    const inode = fs.statSync(thread).ino.toString(16);
    const made = fs
      .readdirSync('/proc/self/fdinfo')
      .filter((descriptor) => watchesOf(descriptor).some(([, , watched]) => watched === inode));
    if (made.length !== 1) throw new Error('The instance was not found.');
    return made[0];
  };

  /** What is gone, or may not be read, is not watched. @throws Error when nothing more can be. */
  const watchOne = (folder: string) => {
    try {
      fs.watch(folder);
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code === 'ENOSPC' || code === 'EMFILE') throw error;
    }
  };

  const watch = (folders: readonly string[]): WatchAnswer => {
    try {
      instance ??= makeInstance();
      folders.forEach(watchOne);
      const names = watchesOf(String(instance)).map(([, id = '', inode, device]): [number, string] => [
        Number.parseInt(id, 16),
        `${device}:${inode}`,
      ]);
      return { type: 'watching', descriptor: Number(instance), names: new Map(names) };
    } catch {
      return { type: 'failed' };
    }
  };

  for (let heard = 0; ; heard = Atomics.load(signal, 0)) {
    for (let asked = receiveMessageOnPort(port); asked !== undefined; asked = receiveMessageOnPort(port)) {
      port.postMessage(watch((asked as { readonly message: readonly string[] }).message));
    }
    Atomics.wait(signal, 0, heard);
  }
}
