import { readlinkSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { CanonicalPaths } from '../../core/patch/placedChange.ts';
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

  /** Where writing to this path ends up: links are written through, also those that lead to nothing yet. */
  async throughLinks(path: string): Promise<string> {
    let place = await this.of(path);
    for (let hops = 0; hops < MOST_HOPS; hops++) {
      const target = linkTarget(place);
      if (target === undefined) return place;
      place = await this.of(resolve(dirname(place), target));
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
