import type { TurnItem } from '../../src/protocol/item.ts';
import type { TurnState } from '../../src/protocol/thread.ts';

type Writer = Extract<TurnItem, { type: 'command_execution' | 'file_change' }>;

/** By path as it is shown: the last command or patch that changed the file. Its hunks are reviewed under that row. */
export type LastWriters = ReadonlyMap<string, TurnItem['id']>;

/** Commands and patches that changed files, in their order. Cheap: asked for at every delta. */
export function writersIn(turns: readonly TurnState[]): readonly Writer[] {
  return turns.flatMap(({ items }) => items.filter(hasWritten));
}

/** Returns the last item that has changed each file. `writers`: in their order. */
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
