/** Makes threads from others: forks of Tiller threads, and imports. */
import type { UserInput } from '../../protocol/item.ts';
import type { Clock, Ids, Storage } from '../ports.ts';
import { describeFileError } from '../util/fileErrors.ts';
import { importCodex } from './codexImport.ts';
import { type Forked, type ForkLine, forkLine, forkLines, forkRollout } from './fork.ts';
import { ROLLOUT_FORMAT, ROLLOUT_VERSION, type SessionMeta } from './line.ts';
import { guessMeta } from './lostMeta.ts';
import { readLines } from './readLines.ts';
import { rolloutPath } from './recorder.ts';
import { NO_THREAD } from './replay.ts';
import { append } from '../util/append.ts';

interface CopyPorts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The program that makes the thread. */
export type NewThread = Pick<SessionMeta, 'originator' | 'tiller_version'>;

/** The settings with which an imported thread continues. */
export type ImportedThread = Pick<SessionMeta, 'model' | 'provider' | 'instructions' | 'cwd'>;

export type Copied =
  | {
      readonly type: 'copied';
      readonly threadId: string;
      /** The message that the fork removed, as a draft to edit. */
      readonly draft: readonly UserInput[] | null;
      /** Lines that could not be read. */
      readonly dropped: number;
    }
  | { readonly type: 'refused'; readonly message: string };

/** Forks the rollout at `path` at an item, `null` at its end. An expected failure is a result. */
export async function forkThread(
  ports: CopyPorts,
  path: string,
  itemId: string | null,
  by: NewThread,
): Promise<Copied> {
  const lines: ForkLine[] = [];
  try {
    for await (const batch of readLines(ports.storage, path, { torn: true })) append(lines, batch.lines.map(forkLine));
  } catch (error) {
    return { type: 'refused', message: describeFileError(error, path) };
  }
  const meta =
    metaOf(lines) ??
    guessMeta(
      lines.map(({ text }) => text),
      path,
    );
  if (meta === undefined) return { type: 'refused', message: `${path}: ${NO_THREAD}` };
  return copy(ports, lines, meta, itemId, by);
}

/** `text`: a rollout of Tiller, which is forked, or of Codex, which is converted. An expected failure is a result. */
export async function importThread(
  ports: CopyPorts,
  text: string,
  by: NewThread,
  about: ImportedThread,
): Promise<Copied> {
  const lines = forkLines(text);
  const own = metaOf(lines);
  if (own !== undefined) return copy(ports, lines, own, null, by);
  const meta: SessionMeta = {
    format: ROLLOUT_FORMAT,
    version: ROLLOUT_VERSION,
    ...about,
    ...by,
    ...birthOf(ports),
  };
  const imported = importCodex(text, meta);
  if (imported.type === 'unreadable') return { type: 'refused', message: imported.message };
  return write(ports, meta, { text: imported.text, draft: null }, imported.dropped);
}

async function copy(
  ports: CopyPorts,
  lines: readonly ForkLine[],
  meta: SessionMeta,
  itemId: string | null,
  by: NewThread,
): Promise<Copied> {
  if (meta.version > ROLLOUT_VERSION)
    return { type: 'refused', message: 'the thread was written by a newer Tiller and can only be read' };
  // A fork of a sub-agent is a thread of its own, one of a thread that works as an agent has the same restrictions.
  const { parent_id: parent, agent, ...kept } = meta;
  const as = parent === undefined && agent !== undefined ? { agent } : {};
  const about: SessionMeta = { ...kept, ...as, ...by, ...birthOf(ports), forked_from_id: meta.id };
  const forked = forkRollout(lines, about, itemId);
  if (forked.type === 'no_such_item') {
    return { type: 'refused', message: `there is no item ${itemId} in the thread` };
  }
  return write(ports, about, forked, lines.filter(({ entry }) => entry === undefined).length);
}

function metaOf(lines: readonly ForkLine[]): SessionMeta | undefined {
  for (const { entry } of lines) if (entry?.type === 'session_meta') return entry.payload;
  return undefined;
}

function birthOf({ ids, clock }: CopyPorts): Pick<SessionMeta, 'id' | 'timestamp'> {
  return { id: ids.uuid(), timestamp: clock.now().toISOString() };
}

async function write(
  { storage }: CopyPorts,
  { id, timestamp }: SessionMeta,
  { text, draft }: Pick<Extract<Forked, { type: 'forked' }>, 'text' | 'draft'>,
  dropped: number,
): Promise<Copied> {
  await storage.writeText(rolloutPath(id, new Date(timestamp)), text);
  return { type: 'copied', threadId: id, draft, dropped };
}
