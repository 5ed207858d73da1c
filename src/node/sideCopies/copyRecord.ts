/** `copy.json` of a side copy: its journal, written before anything else is made and removed last. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { errorCode } from '../../core/util/fileErrors.ts';
import { namesIn, replacePrivateFile } from '../host/privateFiles.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

const recordSchema = lazyObject(() => ({
  version: z.literal(1),
  id: z.string().regex(/^[0-9a-f]{12}$/),
  /** `making` and `removing` of an ended process: a crash cut it off, and the next start removes the rest. */
  state: z.enum(['making', 'ready', 'removing']),
  /** The process that makes, removes or has made it. */
  owner: z.object({ pid: z.number(), bootId: z.string().nullable(), startTime: z.string().nullable() }),
  threadId: z.string().nullable(),
  createdAt: z.string(),
  folders: z.array(
    z.object({
      home: z.string(),
      copy: z.string(),
      kind: z.enum(['worktree', 'plain']),
      /** The folder of git for a worktree; `null` for a plain copy. */
      gitFolder: z.string().nullable(),
      /** The commit with which a worktree began; `null` where it is not known. */
      head: z.string().nullable().default(null),
    }),
  ),
  /** Absolute paths in the copy of the links to the workspace. */
  links: z.array(z.string()),
}));
export type CopyRecord = z.infer<typeof recordSchema>;

const FILE = 'copy.json';
/** In TILLER_HOME. */
export const FOLDER = 'copies';
/** Begins the name of a folder whose removal has begun. */
export const REMOVED = 'removed-';

/** `home`: TILLER_HOME. */
export function copiesFolder(home: string): string {
  return path.join(home, FOLDER);
}

export type FoundRecord =
  | { readonly type: 'record'; readonly record: CopyRecord }
  /** There is no such file. */
  | { readonly type: 'none' }
  /** Damaged, of a later version, or not readable at this time: the copy may hold work of the user. */
  | { readonly type: 'unreadable'; readonly problem: string };

/** Reads the record of a side copy. `problem`: a clause for the user. */
export function findRecord(folder: string): FoundRecord {
  let text: string;
  try {
    text = readFileSync(path.join(folder, FILE), 'utf8');
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? { type: 'none' } : { type: 'unreadable', problem: String(error) };
  }
  try {
    const parsed = recordSchema.safeParse(JSON.parse(text));
    return parsed.success
      ? { type: 'record', record: parsed.data }
      : { type: 'unreadable', problem: `${FILE} is of another version of Tiller, or is damaged` };
  } catch {
    return { type: 'unreadable', problem: `${FILE} is damaged` };
  }
}

/** `undefined` where there is none that can be read. */
export function readRecord(folder: string): CopyRecord | undefined {
  const found = findRecord(folder);
  return found.type === 'record' ? found.record : undefined;
}

/** After a crash it is the old one or the new one. @throws the error of the disk */
export async function writeRecord(folder: string, record: CopyRecord): Promise<void> {
  const file = path.join(folder, FILE);
  await replacePrivateFile(file, Buffer.from(JSON.stringify(record)), `${file}.${randomUUID()}.tmp`);
}

/** Returns the records by folder, in no order; without copies that are being removed. */
export function findRecords(home: string): ReadonlyMap<string, FoundRecord> {
  const folders = namesIn(copiesFolder(home)).filter((name) => !name.startsWith(REMOVED));
  return new Map(
    folders.map((name) => path.join(copiesFolder(home), name)).map((folder) => [folder, findRecord(folder)]),
  );
}
