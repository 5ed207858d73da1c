/** A working fake of `Storage`: TILLER_HOME in memory. It can simulate a full disk. */
import type { AppendFile, Storage, StoredFile } from '../../src/core/ports.ts';

export class MemoryStorage implements Storage {
  readonly home = '/home/me/.tiller';
  readonly files: Map<string, string>;
  /** An append fails if this returns true; a part of its text may have been written. */
  refuses: ((text: string) => boolean) | undefined;
  onRead: ((path: string) => void) | undefined;
  /** If false, files cannot be opened. */
  canOpen = true;

  /** Folders that cannot be read. */
  dark: readonly string[] = [];

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.files = new Map(Object.entries(files));
  }

  async openAppend(path: string): Promise<AppendFile> {
    if (!this.canOpen) throw new Error('EACCES: permission denied');
    if (!this.files.has(path)) this.files.set(path, '');
    return {
      path,
      append: (given) => {
        const text = typeof given === 'string' ? given : [...given].join('');
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

  async writeBytes(path: string, bytes: Uint8Array): Promise<void> {
    this.files.set(path, Buffer.from(bytes).toString('utf8'));
  }

  async updateText(path: string, change: (text: string | undefined) => string): Promise<void> {
    const text = change(this.files.get(path));
    if (this.refuses?.(text) === true) {
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    }
    this.files.set(path, text);
  }

  async readBytes(path: string, from: number, length: number): Promise<Uint8Array> {
    this.onRead?.(path);
    return Buffer.from(this.files.get(path) ?? '', 'utf8').subarray(from, from + length);
  }

  async unreadable(): Promise<readonly string[]> {
    return this.dark;
  }

  async statFiles(path: string): Promise<readonly StoredFile[]> {
    const files = await this.listFiles(path);
    return files.map((file) => ({ path: file, size: Buffer.byteLength(this.files.get(file) ?? ''), modifiedAt: 0 }));
  }

  async move(from: string, to: string): Promise<void> {
    const text = this.files.get(from);
    if (text === undefined) throw new Error(`ENOENT: ${from}`);
    this.files.delete(from);
    this.files.set(to, text);
  }

  async listFiles(path: string): Promise<readonly string[]> {
    return [...this.files.keys()].filter((file) => file.startsWith(`${path}/`)).toSorted();
  }

  async remove(path: string): Promise<void> {
    this.files.delete(path);
  }
}
