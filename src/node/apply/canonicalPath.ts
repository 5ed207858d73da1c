import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { CanonicalPaths } from '../../core/patch/placedChange.ts';
import type { FilePlace } from '../../core/ports.ts';
import { errorCode, isMissing } from '../../core/util/fileErrors.ts';

/**
 * One name for all paths to the same place. Links among the folders are followed, existing or not yet; the last name is
 * kept, because removing a link removes the link. Synchronous inside for the reason given in fileImage.ts.
 */
export class DiskPaths implements CanonicalPaths {
  readonly #folders = new Map<string, string>();

  async of(path: string): Promise<string> {
    return this.#of(path);
  }

  /** Links are written through, also those whose target does not exist yet. */
  async place(path: string): Promise<FilePlace> {
    const name = this.#of(path);
    let target = name;
    for (let hops = 0; hops < MOST_HOPS; hops++) {
      const next = linkTarget(target);
      if (next === undefined) return { name, target };
      target = this.#of(resolve(dirname(target), next));
    }
    throw Object.assign(new Error('too many symbolic links'), { code: 'ELOOP' });
  }

  #of(path: string): string {
    const absolute = resolve(path);
    return join(this.#folder(dirname(absolute)), basename(absolute));
  }

  #folder(path: string): string {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const found = this.#realFolder(path);
    this.#folders.set(path, found);
    return found;
  }

  #realFolder(path: string): string {
    try {
      return realpathSync.native(path);
    } catch (error) {
      if (!isMissing(error) || dirname(path) === path) throw error;
      return this.#of(path);
    }
  }
}

/** Linux follows as many (path_resolution(7)). */
const MOST_HOPS = 40;

function linkTarget(path: string): string | undefined {
  try {
    // Most names are no links, and an exception costs more than this check.
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch (error) {
    // EINVAL: the link was replaced after the check. UNKNOWN: the same on Windows.
    if (isMissing(error) || errorCode(error) === 'EINVAL' || errorCode(error) === 'UNKNOWN') return undefined;
    throw error;
  }
}
