/**
 * The further places of files that commands may not open: other names of the same file (hard links), and where a command
 * has moved one with its folder. Globs do not find these, because they go by the name.
 */
import type { Stats } from 'node:fs';
import { fileIdentity, identityAt, type NamedFile, namesOf } from '../host/hardLinks.ts';

export class SecretLinks {
  /**
   * The other names by identity, with the state of the file in which they were searched: a file system changes `ctime`
   * when it adds, renames or removes a name of the file.
   */
  readonly #links = new Map<string, { readonly state: string; readonly paths: readonly string[] }>();
  /** The place of each moved file by its identity. */
  readonly #moved = new Map<string, string>();

  /**
   * Returns further places of these files (by real path), and those of files that were moved before and are not among
   * them again. Costs nothing where every file has one name and none was moved.
   */
  of(files: ReadonlyMap<string, Stats>, folders: readonly string[]): readonly string[] {
    if (this.#moved.size > 0) for (const stats of files.values()) this.#moved.delete(fileIdentity(stats));
    const linked = [...files].filter(([, stats]) => stats.nlink > 1);
    return [...linked.flatMap(([file, stats]) => this.#linksOf(file, stats, folders)), ...this.#movedNow(folders)];
  }

  /** Remembers the places of files that are no longer where they were. Returns those that are new. */
  follow(identities: ReadonlySet<string>, folders: readonly string[]): readonly NamedFile[] {
    if (identities.size === 0) return [];
    const found = [...namesOf(identities, { places: folders })].filter((one) => one !== undefined);
    const moved = found.filter(({ identity }) => !this.#moved.has(identity));
    for (const { identity, path } of moved) this.#moved.set(identity, path);
    return moved;
  }

  #linksOf(file: string, stats: Stats, folders: readonly string[]): readonly string[] {
    const identity = fileIdentity(stats);
    const state = [stats.nlink, stats.ctimeMs, ...folders.toSorted()].join('\0');
    const known = this.#links.get(identity);
    if (known?.state === state && known.paths.every((path) => identityAt(path) === identity)) {
      return known.paths.filter((path) => path !== file);
    }
    const paths: string[] = [];
    for (const found of namesOf(new Set([identity]), { places: folders })) {
      if (found !== undefined) paths.push(found.path);
      if (paths.length === stats.nlink) break;
    }
    this.#links.set(identity, { state, paths });
    return paths.filter((path) => path !== file);
  }

  #movedNow(folders: readonly string[]): readonly string[] {
    const lost = [...this.#moved].filter(([identity, path]) => identityAt(path) !== identity);
    for (const [identity] of lost) this.#moved.delete(identity);
    this.follow(new Set(lost.map(([identity]) => identity)), folders);
    return [...this.#moved.values()];
  }
}
