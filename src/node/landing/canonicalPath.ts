import { readlinkSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { CanonicalPaths } from '../../core/patch/placedChange.ts';
import type { FilePlace } from '../../core/ports.ts';
import { errorCode, isMissing } from '../errors.ts';

/**
 * One name for every way to the same place. Folders on the way are followed through symbolic links, existing or not yet;
 * the last name is taken as it is, because removing a link removes the link.
 */
export class DiskPaths implements CanonicalPaths {
  readonly #folders = new Map<string, Promise<string>>();

  async of(path: string): Promise<string> {
    const absolute = resolve(path);
    return join(await this.#folder(dirname(absolute)), basename(absolute));
  }

  /** Links are written through, also those that lead to nothing yet. */
  async place(path: string): Promise<FilePlace> {
    const name = await this.of(path);
    let target = name;
    for (let hops = 0; hops < MOST_HOPS; hops++) {
      const next = linkTarget(target);
      if (next === undefined) return { name, target };
      target = await this.of(resolve(dirname(target), next));
    }
    throw Object.assign(new Error('too many symbolic links'), { code: 'ELOOP' });
  }

  #folder(path: string): Promise<string> {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const found = realpath(path).catch((error: unknown) => {
      if (!isMissing(error) || dirname(path) === path) throw error;
      return this.of(path);
    });
    this.#folders.set(path, found);
    return found;
  }
}

/** As many as Linux follows (path_resolution(7)). */
const MOST_HOPS = 40;

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    // EINVAL: it exists and is no link. UNKNOWN: the same on Windows.
    if (isMissing(error) || errorCode(error) === 'EINVAL' || errorCode(error) === 'UNKNOWN') return undefined;
    throw error;
  }
}
