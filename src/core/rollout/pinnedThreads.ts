/**
 * The threads that the user has pinned: they are listed first. All windows and command lines with the same TILLER_HOME
 * share them.
 */
import * as z from 'zod';
import type { Storage } from '../ports.ts';

const FILE = 'index/pinned.json';
/** Ids of threads. */
const pinnedSchema = z.array(z.string());

/** Returns the ids of the pinned threads, also of deleted ones: a thread that is restored is pinned as before. */
export async function pinnedThreads(storage: Pick<Storage, 'readText'>): Promise<ReadonlySet<string>> {
  return new Set(parse(await storage.readText(FILE)));
}

/** Pins the thread, or removes its pin. */
export async function setPinned(
  storage: Pick<Storage, 'updateText'>,
  threadId: string,
  isPinned: boolean,
): Promise<void> {
  await storage.updateText(FILE, (text) => {
    const others = parse(text).filter((id) => id !== threadId);
    return JSON.stringify(isPinned ? [...others, threadId] : others);
  });
}

/** A damaged file is ignored: losing it does no harm. */
function parse(text: string | undefined): readonly string[] {
  try {
    return pinnedSchema.parse(JSON.parse(text ?? '[]'));
  } catch {
    return [];
  }
}
