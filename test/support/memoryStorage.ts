/** TILLER_HOME without a disk. It can be full. */
import type { AppendFile, Storage } from '../../src/core/ports.ts';

export class MemoryStorage implements Storage {
  readonly home = '/home/me/.tiller';
  readonly files: Map<string, string>;
  /** Appends are refused while this says so; a part of the text may have been written. */
  refuses: ((text: string) => boolean) | undefined;
  /** Files can be opened unless it says no. */
  canOpen = true;

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.files = new Map(Object.entries(files));
  }

  async openAppend(path: string): Promise<AppendFile> {
    if (!this.canOpen) throw new Error('EACCES: permission denied');
    if (!this.files.has(path)) this.files.set(path, '');
    return {
      path,
      append: (text) => {
        const refused = this.refuses?.(text) === true;
        this.files.set(path, (this.files.get(path) ?? '') + (refused ? text.slice(0, text.length / 2) : text));
        if (refused) throw new Error('ENOSPC: no space left on device');
      },
      sync: async () => {},
      close: async () => {},
    };
  }

  async readText(path: string): Promise<string | undefined> {
    return this.files.get(path);
  }

  async stamp(path: string): Promise<string | undefined> {
    return this.files.get(path);
  }

  async writeText(path: string, text: string): Promise<void> {
    this.files.set(path, text);
  }

  async updateText(path: string, change: (text: string | undefined) => string): Promise<void> {
    const text = change(this.files.get(path));
    if (this.refuses?.(text) === true) throw new Error('ENOSPC: no space left on device');
    this.files.set(path, text);
  }

  async listFiles(path: string): Promise<readonly string[]> {
    return [...this.files.keys()].filter((file) => file.startsWith(`${path}/`)).toSorted();
  }

  async remove(path: string): Promise<void> {
    this.files.delete(path);
  }
}
