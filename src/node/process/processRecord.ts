/**
 * Which processes run in our name, on disk, so that those of a Tiller that was killed can be ended by the next one. Only
 * what runs for a while is written down: the rest is gone before anybody could look.
 */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { isMissing } from '../errors.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../privateFiles.ts';
import { identify, isRunning, thisProcess } from '../processIdentity.ts';
import { endTree } from './processTree.ts';

const RECORD_AFTER_MS = 1_000;
const ENDING = '.json';
/** What they have to end by themselves. */
const GRACE_MS = 500;
/** A record that is still not whole by then was torn by a kill, not caught while it was written. */
const TORN_AFTER_MS = 60_000;

const identitySchema = z.object({ pid: z.number(), bootId: z.string().nullable(), startTime: z.string().nullable() });
const recordSchema = z.object({ owner: identitySchema, leader: identitySchema, mark: z.string() });

const folderOf = (home: string): string => join(home, 'processes');

/** Writes the process down when it has run for a second, and takes the record away when it has ended. */
export function recordWhileItRuns(
  home: string,
  process: { readonly pid: number | undefined; readonly exited: Promise<unknown> },
  mark: string,
): void {
  const { pid } = process;
  if (pid === undefined) return;
  const path = join(folderOf(home), `${mark.slice(mark.indexOf('=') + 1)}${ENDING}`);
  let written: Promise<void> | undefined;
  const timer = setTimeout(() => {
    // What cannot be written down is only not found again after a crash.
    written = write(home, path, { owner: thisProcess(), leader: identify(pid), mark }).catch(() => {});
  }, RECORD_AFTER_MS);
  timer.unref();
  void process.exited.then(async () => {
    clearTimeout(timer);
    if (written === undefined) return;
    await written;
    await rm(path, { force: true }).catch(() => {});
  });
}

async function write(home: string, path: string, record: z.infer<typeof recordSchema>): Promise<void> {
  await makePrivateFolder(folderOf(home));
  await writeFile(path, JSON.stringify(record), { mode: PRIVATE_FILE });
}

/**
 * Ends what processes of ours left running that were killed themselves. Returns how many commands that were. Only where the
 * system tells one process from a later one with the same number.
 */
export async function sweepProcesses(home: string, platform: NodeJS.Platform = process.platform): Promise<number> {
  let ended = 0;
  for (const name of await recordNames(home)) {
    const path = join(folderOf(home), name);
    const record = await readRecord(path);
    if (record === undefined) await removeIfTorn(path);
    if (record === undefined || isRunning(record.owner)) continue;
    const { leader, mark } = record;
    if (leader.startTime !== null) {
      const leaderHasEnded = () => !isRunning(leader);
      await endTree({ leader: leader.pid, mark, leaderHasEnded, platform }, Promise.resolve(), GRACE_MS);
      ended++;
    }
    await rm(path, { force: true });
  }
  return ended;
}

async function recordNames(home: string): Promise<readonly string[]> {
  try {
    return (await readdir(folderOf(home))).filter((name) => name.endsWith(ENDING));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function removeIfTorn(path: string): Promise<void> {
  const facts = await stat(path).catch(() => undefined);
  if (facts !== undefined && Date.now() - facts.mtimeMs > TORN_AFTER_MS) await rm(path, { force: true });
}

/** `undefined` for one that is gone meanwhile, or not whole. */
async function readRecord(path: string): Promise<z.infer<typeof recordSchema> | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}
