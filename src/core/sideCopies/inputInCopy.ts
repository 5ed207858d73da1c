import path from 'node:path';
import type { UserInput } from '../../protocol/item.ts';
import { pathBelow } from '../util/pathBelow.ts';
import type { CopiedFolder } from './sideCopy.ts';

/** A message to a thread in a side copy: what it mentions of the workspace means the same file of the copy. */
export function inputInCopy(
  input: readonly UserInput[],
  folders: readonly Pick<CopiedFolder, 'home' | 'copy'>[],
): UserInput[] {
  return input.map((part) => {
    if (part.type !== 'mention' || part.path === '') return part;
    for (const { home, copy } of folders) {
      const below = pathBelow(home, part.path);
      if (below !== undefined) return { ...part, path: path.join(copy, below) };
    }
    return part;
  });
}
