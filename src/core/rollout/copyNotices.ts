/** Notices about side copies of a thread's agents, kept in TILLER_HOME until a request of the thread contains them. */
import * as z from 'zod';
import type { Storage } from '../ports.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

const noticeSchema = lazyObject(() => ({
  agentId: z.string(),
  what: z.enum(['brought_home', 'undone']),
  /** From the working directory of the thread, else absolute. */
  files: z.array(z.string()),
  /** ISO 8601. Two notices of one thread differ in it. */
  at: z.string(),
}));
export type CopyNotice = Readonly<z.infer<typeof noticeSchema>>;

/** A thread reads its notices in this process or another one, whichever runs it next. */
export function copyNoticesPath(threadId: string): string {
  return `notices/${threadId}.json`;
}

/** Appends a notice of the time `at`, or of the next millisecond that none has. @throws the error of the disk */
export async function keepCopyNotice(
  storage: Pick<Storage, 'updateText'>,
  threadId: string,
  { at, ...notice }: Omit<CopyNotice, 'at'> & { readonly at: Date },
): Promise<void> {
  await storage.updateText(copyNoticesPath(threadId), (text) => {
    const known = parse(text);
    const last = Date.parse(known.at(-1)?.at ?? '') || 0;
    const time = new Date(Math.max(at.getTime(), last + 1)).toISOString();
    return JSON.stringify([...known, { ...notice, at: time }]);
  });
}

/** Oldest first. A damaged file has none. @throws the error of the disk */
export async function readCopyNotices(
  storage: Pick<Storage, 'readText'>,
  threadId: string,
): Promise<readonly CopyNotice[]> {
  return parse(await storage.readText(copyNoticesPath(threadId)));
}

/** Call when the rollout of the thread has these. @throws the error of the disk */
export async function dropCopyNotices(
  storage: Pick<Storage, 'updateText'>,
  threadId: string,
  notices: readonly CopyNotice[],
): Promise<void> {
  const times = new Set(notices.map(({ at }) => at));
  await storage.updateText(copyNoticesPath(threadId), (text) =>
    JSON.stringify(parse(text).filter(({ at }) => !times.has(at))),
  );
}

function parse(text: string | undefined): readonly CopyNotice[] {
  if (text === undefined) return [];
  try {
    const parsed = z.array(noticeSchema).safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : [];
  } catch {
    return [];
  }
}
