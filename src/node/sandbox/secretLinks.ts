/**
 * The further places of files that commands may not open: other names of the same file (hard links), and where a command
 * has moved one with its folder. Globs do not find these, because they go by the name.
 */
import type { Stats } from 'node:fs';
import { fileIdentity, identityAt, type NamedFile, namesOf } from '../host/hardLinks.ts';
import { MovedFiles } from '../host/movedFiles.ts';

export class SecretLinks {
  /**
   * The other names by identity, with the state of the file in which they were searched: a file system changes `ctime`
   * when it adds, renames or removes a name of the file.
   */
  readonly #links = new Map<string, { readonly state: string; readonly paths: readonly string[] }>();
  readonly #moved: MovedFiles;

  constructor(moved: MovedFiles = new MovedFiles()) {
    this.#moved = moved;
  }

  /**
   * Returns further places of these files (by real path), and those of files that were moved before and are not among
   * them again. Costs nothing where every file has one name and none was moved.
   */
  of(files: ReadonlyMap<string, Stats>, folders: readonly string[]): readonly string[] {
    if (this.#moved.size > 0) for (const stats of files.values()) this.#moved.delete(fileIdentity(stats));
    const linked = [...files].filter(([, stats]) => stats.nlink > 1);
    return [...linked.flatMap(([file, stats]) => this.#linksOf(file, stats, folders)), ...this.#movedNow(folders)];
  }

  /**
   * Remembers the places of files that are no longer where they were. Returns those that are new. `files`: the earlier
   * name of each by its identity.
   */
  follow(files: ReadonlyMap<string, string>, folders: readonly string[]): readonly NamedFile[] {
    if (files.size === 0) return [];
    const found = [...namesOf(new Set(files.keys()), { places: folders })];
    const moved = found.filter(({ identity }) => this.#moved.formerName(identity) === undefined);
    for (const { identity, path } of moved) this.#moved.set(identity, path, files.get(identity));
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
      paths.push(found.path);
      if (paths.length === stats.nlink) break;
    }
    this.#links.set(identity, { state, paths });
    return paths.filter((path) => path !== file);
  }

  #movedNow(folders: readonly string[]): readonly string[] {
    const places = this.#moved.places;
    const lost = [...places].filter(([identity, path]) => identityAt(path) !== identity);
    const formerNames = new Map(lost.map(([identity]) => [identity, this.#moved.formerName(identity) ?? '']));
    for (const [identity] of lost) this.#moved.delete(identity);
    this.follow(formerNames, folders);
    return [...this.#moved.places.values()];
  }
}
