/** `copy.json` of a side copy: its journal, written before anything else is made and removed last. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { namesIn, replacePrivateFile } from '../host/privateFiles.ts';

const recordSchema = z.object({
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
      /** Of a worktree. */
      gitFolder: z.string().nullable(),
    }),
  ),
  /** Absolute paths in the copy of what is linked to the workspace. */
  links: z.array(z.string()),
});
export type CopyRecord = z.infer<typeof recordSchema>;

const FILE = 'copy.json';
/** In TILLER_HOME. */
export const FOLDER = 'copies';

/** `home`: TILLER_HOME. */
export function copiesFolder(home: string): string {
  return path.join(home, FOLDER);
}

/** `undefined` where there is none that can be read. */
export function readRecord(folder: string): CopyRecord | undefined {
  try {
    const parsed = recordSchema.safeParse(JSON.parse(readFileSync(path.join(folder, FILE), 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** After a crash it is the old one or the new one. @throws the error of the disk */
export async function writeRecord(folder: string, record: CopyRecord): Promise<void> {
  const file = path.join(folder, FILE);
  await replacePrivateFile(file, Buffer.from(JSON.stringify(record)), `${file}.${randomUUID()}.tmp`);
}

/** Those that can be read, in no order. */
export function readRecords(home: string): readonly CopyRecord[] {
  return namesIn(copiesFolder(home)).flatMap((id) => readRecord(path.join(copiesFolder(home), id)) ?? []);
}
