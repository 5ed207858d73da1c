/**
 * Records of running commands on the disk, so that the next Tiller can end those of one that was killed.
 *
 * A command is recorded before it is started, with the mark in its environment, by which it can be found whenever the
 * kill comes; and with the pid of its first process as soon as there is one, for commands that clear their environment.
 * All of it is synchronous: 0.1 ms, where the thread pool would take longer and finish later.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { isMissing } from '../../core/util/fileErrors.ts';
import { makePrivateFolderSync, PRIVATE_FILE, removeFile } from '../host/privateFiles.ts';
import { identify, isRunning, thisProcess } from '../host/processIdentity.ts';
import { endTree } from './processTree.ts';

const ENDING = '.json';
/** The time between SIGTERM and SIGKILL. */
const GRACE_MS = 500;
/** A record that is still incomplete by then was cut off by a kill; a younger one may just be being written. */
const TORN_AFTER_MS = 60_000;

const identitySchema = z.object({ pid: z.number(), bootId: z.string().nullable(), startTime: z.string().nullable() });
/** The first line. The second, `leader`, is missing when the kill came between the two writes. */
const commandSchema = z.object({ owner: identitySchema, mark: z.string(), isSandboxed: z.boolean().default(false) });
const leaderSchema = z.object({ leader: identitySchema });

type CommandRecord = z.infer<typeof commandSchema> & Partial<z.infer<typeof leaderSchema>>;

const folderOf = (home: string): string => join(home, 'processes');

export interface RunningRecord {
  /** The command runs; `pid` is its first process. */
  started(pid: number | undefined): void;
  /** It has ended, or could not be started. */
  ended(): void;
}

/** Call before the command is started. `mark`: `NAME=value` in its environment, unique to the command. */
export function recordCommand(home: string, mark: string, isSandboxed = false): RunningRecord {
  const path = join(folderOf(home), `${mark.slice(mark.indexOf('=') + 1)}${ENDING}`);
  let descriptor: number | undefined;
  const write = (line: object) => {
    if (descriptor !== undefined) writeSync(descriptor, `${JSON.stringify(line)}\n`);
  };
  const close = () => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };
  tolerantly(() => {
    descriptor = openNew(home, path);
    write({ owner: thisProcess(), mark, isSandboxed });
  });
  return {
    started: (pid) =>
      tolerantly(() => {
        if (pid !== undefined) write({ leader: identify(pid) });
        close();
      }),
    ended: () =>
      tolerantly(() => {
        close();
        removeFile(path);
      }),
  };
}

/** Best effort: a command without a record is only not found again after a kill. */
function tolerantly(work: () => void): void {
  try {
    work();
  } catch {
    // No space, or no descriptors.
  }
}

function openNew(home: string, path: string): number {
  try {
    return openSync(path, 'wx', PRIVATE_FILE);
  } catch (error) {
    if (!isMissing(error)) throw error;
    makePrivateFolderSync(folderOf(home));
    return openSync(path, 'wx', PRIVATE_FILE);
  }
}

/**
 * Ends commands that killed Tiller processes left running. Only where the system distinguishes a process from a later
 * one with the same pid.
 */
export async function sweepProcesses(home: string, platform: NodeJS.Platform = process.platform): Promise<void> {
  for (const name of await recordNames(home)) {
    const path = join(folderOf(home), name);
    const record = await readRecord(path);
    if (record === undefined) await removeIfTorn(path);
    if (record === undefined || isRunning(record.owner)) continue;
    const { leader, mark } = record;
    if (platform === 'linux') {
      const known = leader !== undefined && leader.startTime !== null ? leader : undefined;
      const leaderHasEnded = () => known === undefined || !isRunning(known);
      await endTree({ leader: known?.pid, mark, leaderHasEnded, platform }, Promise.resolve(), GRACE_MS);
    }
    await rm(path, { force: true });
  }
}

/** The first processes of the running sandboxed commands of all processes with this home. Never rejects. */
export async function sandboxedLeaders(home: string): Promise<readonly number[]> {
  const names = await recordNames(home).catch(() => []);
  const records = await Promise.all(names.map((name) => readRecord(join(folderOf(home), name))));
  return records.flatMap((record) => {
    const leader = record?.isSandboxed ? record.leader : undefined;
    return leader !== undefined && isRunning(leader) ? [leader.pid] : [];
  });
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

/** `undefined` for a missing or incomplete record. */
async function readRecord(path: string): Promise<CommandRecord | undefined> {
  try {
    const [first = '', second = ''] = (await readFile(path, 'utf8')).split('\n');
    return { ...commandSchema.parse(JSON.parse(first)), ...leaderIn(second) };
  } catch {
    return undefined;
  }
}

/** Empty for a missing or incomplete line. */
function leaderIn(line: string): Partial<z.infer<typeof leaderSchema>> {
  try {
    return leaderSchema.parse(JSON.parse(line));
  } catch {
    return {};
  }
}
