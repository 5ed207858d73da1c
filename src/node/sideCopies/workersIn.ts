import type { ThreadsOfCopies } from '../../core/sideCopies/sideCopy.ts';
import type { ThreadWhereabouts } from '../../protocol/threads.ts';
import type { CopyRecord } from './copyRecord.ts';

/**
 * The threads that work in a copy, and where they are: `listed` before `deleted` before `gone`. `listed` also where a thread
 * may work there that cannot be found at this time.
 */
export async function workersIn(
  { threadId, folders }: CopyRecord,
  { whereIs, threadsIn, isComplete }: ThreadsOfCopies,
): Promise<{ readonly ids: readonly string[]; readonly where: ThreadWhereabouts }> {
  const inside = await threadsIn(folders.map(({ copy }) => copy));
  const ids = [...new Set(threadId === null ? inside : [threadId, ...inside])];
  const places = await Promise.all(ids.map((id) => whereIs(id)));
  if (places.includes('listed') || !(await isComplete())) return { ids, where: 'listed' };
  return { ids, where: places.length === 0 || places.includes('deleted') ? 'deleted' : 'gone' };
}
