/** The folders of a workspace, as a side copy has them. */
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { isBelow } from '../../core/util/pathBelow.ts';

/** In the folder of a copy: the files of the thread. */
export const WORK = 'work';

/** Returns the real path of a folder; the path itself where it does not exist. */
export function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Leaves out folders inside another one, which are copied as part of it. */
export function outermost(roots: readonly string[]): readonly string[] {
  const different = [...new Set(roots)];
  return different.filter((root) => !different.some((other) => other !== root && isBelow(root, other)));
}

/** Each once, on disks too that ignore case: two folders of a workspace may have one name. */
export function namesFor(roots: readonly string[]): readonly string[] {
  const names = new Set<string>();
  return roots.map((root) => {
    const name = path.basename(root) || 'workspace';
    let unique = name;
    for (let count = 2; names.has(unique.toLowerCase()); count++) unique = `${name}-${count}`;
    names.add(unique.toLowerCase());
    return unique;
  });
}
