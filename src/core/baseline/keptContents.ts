import type { FileState, RevertFile } from '../../protocol/baseline.ts';

/** The hashes of two states of a file, `null` where there is none. `undefined` where a content was left out. */
export function keptContents(before: FileState, after: FileState): RevertFile['contents'] {
  if (before.type === 'left_out' || after.type === 'left_out') return undefined;
  return { before: hashOf(before), after: hashOf(after) };
}

function hashOf(state: Exclude<FileState, { type: 'left_out' }>): string | null {
  return state.type === 'absent' ? null : state.hash;
}
