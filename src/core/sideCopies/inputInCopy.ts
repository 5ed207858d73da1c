import path from 'node:path';
import type { UserInput } from '../../protocol/item.ts';
import { pathBelow } from '../util/pathBelow.ts';
import type { CopiedFolder } from './sideCopy.ts';

/**
 * Converts a message to a thread in a side copy: its mentions of the workspace become mentions of the same files of the
 * copy.
 */
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
