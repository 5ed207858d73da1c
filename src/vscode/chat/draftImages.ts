import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DraftImages } from '../../protocol/draft.ts';
import { draftImagesSchema } from '../../protocol/wire.ts';

/** In characters, as data URLs. */
interface Limits {
  /** A draft with more keeps none of its images. */
  readonly ofDraft: number;
  /** Beyond it the images of the oldest drafts are removed. */
  readonly ofAll: number;
}

/** Maximum bytes: for one draft about ten images of the largest size. */
const LIMITS: Limits = { ofDraft: 24 * 1024 * 1024, ofAll: 96 * 1024 * 1024 };

/**
 * Keeps the images of drafts over a reload of the window: a file for each draft, in VS Code's storage for this folder.
 * Written with Node: while a window closes or reloads, VS Code's file system no longer answers.
 */
export class DraftImageFiles {
  readonly #folder: string;
  readonly #report: (error: unknown) => void;
  readonly #limits: Limits;
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: string, report: (error: unknown) => void, limits = LIMITS) {
    this.#folder = folder;
    this.#report = report;
    this.#limits = limits;
  }

  /** Synchronous, because the draft is needed whole where it is shown; read once for each draft. */
  read(key: string): DraftImages | undefined {
    try {
      return draftImagesSchema.parse(JSON.parse(readFileSync(this.#placeOf(key), 'utf8')));
    } catch {
      return undefined;
    }
  }

  /** `null` removes them. Writes happen in call order. */
  write(key: string, images: DraftImages | null): void {
    this.#writing = this.#writing.then(() => this.#write(key, images)).catch(this.#report);
  }

  /** Resolves when all writes so far are on the disk. Never rejects. */
  flush(): Promise<void> {
    return this.#writing;
  }

  async #write(key: string, images: DraftImages | null): Promise<void> {
    const place = this.#placeOf(key);
    const text = images === null ? '' : JSON.stringify(images);
    if (images === null || text.length > this.#limits.ofDraft) return rm(place, { force: true });
    await mkdir(this.#folder, { recursive: true });
    // The new one counts in full, and is the newest.
    await this.#makeRoom(this.#limits.ofAll - text.length);
    await writeFile(`${place}.new`, text, { mode: 0o600 });
    await rename(`${place}.new`, place);
  }

  async #makeRoom(allowed: number): Promise<void> {
    const names = await readdir(this.#folder);
    const files = await Promise.all(
      names.map(async (name) => {
        const file = path.join(this.#folder, name);
        const { size, mtimeMs } = await stat(file);
        return { file, size, mtimeMs };
      }),
    );
    let total = 0;
    for (const { file, size } of files.toSorted((one, other) => other.mtimeMs - one.mtimeMs)) {
      total += size;
      if (total > allowed) await rm(file, { force: true });
    }
  }

  #placeOf(key: string): string {
    return path.join(this.#folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`);
  }
}
