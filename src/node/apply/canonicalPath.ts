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
    if (absolute.length > LONGEST) throw Object.assign(new Error('the name is too long'), { code: 'ENAMETOOLONG' });
    return join(this.#folder(dirname(absolute)), basename(absolute));
  }

  #folder(path: string): string {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const found = this.#realFolder(path);
    this.#folders.set(path, found);
    return found;
  }

  /** The nearest folder that exists, followed by the names below it. */
  #realFolder(path: string): string {
    const missing: string[] = [];
    for (let at = path; ; at = dirname(at)) {
      const known = this.#folders.get(at);
      if (known !== undefined) return join(known, ...missing);
      try {
        return join(realpathSync.native(at), ...missing);
      } catch (error) {
        if (!isMissing(error) || dirname(at) === at) throw error;
        missing.unshift(basename(at));
      }
    }
  }
}

/** In characters: the longest path of Windows. Linux takes 4,096 bytes, macOS 1,024. */
const LONGEST = 32_767;

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
