import type { TurnItem } from '../../src/protocol/item.ts';
import type { TurnState } from '../../src/protocol/thread.ts';

type Writer = Extract<TurnItem, { type: 'command_execution' | 'file_change' }>;

/**
 * The last command or patch that changed each file, by the shown path. The file's hunks are reviewed below that row.
 */
export type LastWriters = ReadonlyMap<string, TurnItem['id']>;

/**
 * Returns the commands and patches that changed files, in their order. It must be cheap, because it is called for every
 * delta.
 */
export function writersIn(turns: readonly TurnState[]): readonly Writer[] {
  return turns.flatMap(({ items }) => items.filter(hasWritten));
}

/** Returns the last item that has changed each file. `writers`: oldest first. */
export function lastWritersOf(writers: readonly Writer[]): LastWriters {
  return new Map(writers.flatMap((item) => pathsOf(item).map((path) => [path, item.id] as const)));
}

function hasWritten(item: TurnItem): item is Writer {
  if (item.type === 'command_execution') return item.changed !== undefined;
  return item.type === 'file_change' && item.status === 'completed';
}

function pathsOf(item: Writer): readonly string[] {
  if (item.type === 'command_execution') return item.changed?.files.map(({ path }) => path) ?? [];
  return item.changes.flatMap(({ path, movedTo }) => (movedTo === undefined ? [path] : [path, movedTo]));
}
