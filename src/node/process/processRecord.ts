/**
 * Records of running commands on the disk: when Tiller was killed, its next process ends the commands that it left.
 *
 * A command is recorded before it is started, with the mark in its environment, by which it can be found whenever the
 * kill comes; and with the pid of its first process as soon as there is one, for commands that clear their environment.
 * All of it is synchronous: 0.1 ms, where the thread pool would take longer and finish later.
 */
import { closeSync, constants, openSync, truncateSync, writeSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { isMissing } from '../../core/util/fileErrors.ts';
import { makePrivateFolderSync, PRIVATE_FILE, removeFile } from '../host/privateFiles.ts';
import { identify, isRunning, thisProcess } from '../host/processIdentity.ts';
import { endTree } from './processTree.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

const ENDING = '.json';
/** The time between SIGTERM and SIGKILL. */
const GRACE_MS = 500;
/** A record that is still incomplete by then was cut off by a kill; a younger one may just be being written. */
const TORN_AFTER_MS = 60_000;

const identitySchema = lazyObject(() => ({
  pid: z.number(),
  bootId: z.string().nullable(),
  startTime: z.string().nullable(),
}));
/**
 * The lines of a record, in this order; `leader` is missing when the kill came before it. A file without a mark belongs to
 * no command now.
 */
const recordSchema = lazyObject(() => ({
  owner: identitySchema,
  mark: z.string().optional(),
  isSandboxed: z.boolean().default(false),
  leader: identitySchema.optional(),
}));

type CommandRecord = z.infer<typeof recordSchema>;

const folderOf = (home: string): string => join(home, 'processes');

export interface RunningRecord {
  /** Call when the command runs; `pid` is its first process. */
  started(pid: number | undefined): void;
  /** Call when the command has ended, or could not be started. */
  ended(): void;
}

/** Call before the command is started. `mark`: `NAME=value` in its environment, unique to the command. */
export function recordCommand(home: string, mark: string, { isSandboxed = false } = {}): RunningRecord {
  const folder = folderOf(home);
  let file: RecordFile | undefined;
  let descriptor: number | undefined;
  const write = (line: object) => {
    if (descriptor !== undefined) writeSync(descriptor, lineOf(line));
  };
  const close = () => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };
  tolerantly(() => {
    [file, descriptor] = idleRecord(folder) ?? newRecord(folder, mark.slice(mark.indexOf('=') + 1));
    write({ mark, isSandboxed });
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
        if (file !== undefined) release(folder, file);
        file = undefined;
      }),
  };
}

interface RecordFile {
  readonly path: string;
  /** The length of its first line, which names this process. */
  readonly ownerBytes: number;
}

/** Opened for appending. */
type OpenRecord = readonly [file: RecordFile, descriptor: number];

/**
 * Files of ended commands, by folder: the next command writes into one of them, because ext4 takes up to a millisecond to
 * find an inode for a new file. Removed when this process ends, or else by the next sweep.
 */
const idleRecords = new Map<string, RecordFile[]>();
const MOST_IDLE = 4;

function idleRecord(folder: string): OpenRecord | undefined {
  for (let file = idleRecords.get(folder)?.pop(); file !== undefined; file = idleRecords.get(folder)?.pop()) {
    try {
      return [file, openSync(file.path, constants.O_WRONLY | constants.O_APPEND)];
    } catch (error) {
      // Another program may have removed the folder.
      if (!isMissing(error)) throw error;
    }
  }
  return undefined;
}

function newRecord(folder: string, name: string): OpenRecord {
  const path = join(folder, `${name}${ENDING}`);
  const descriptor = openNew(folder, path);
  const ownerBytes = writeSync(descriptor, lineOf({ owner: thisProcess() }));
  return [{ path, ownerBytes }, descriptor];
}

function release(folder: string, file: RecordFile): void {
  if (idleRecords.size === 0) process.once('exit', removeIdleRecords);
  const idle = idleRecords.get(folder) ?? [];
  idleRecords.set(folder, idle);
  if (idle.length < MOST_IDLE) {
    truncateSync(file.path, file.ownerBytes);
    idle.push(file);
  } else {
    removeFile(file.path);
  }
}

function removeIdleRecords(): void {
  for (const { path } of [...idleRecords.values()].flat()) tolerantly(() => removeFile(path));
}

const lineOf = (line: object): string => `${JSON.stringify(line)}\n`;

/** Best effort: a command without a record is only not found again after a kill. */
function tolerantly(work: () => void): void {
  try {
    work();
  } catch {
    // No space, or no descriptors.
  }
}

function openNew(folder: string, path: string): number {
  try {
    return openSync(path, 'ax', PRIVATE_FILE);
  } catch (error) {
    if (!isMissing(error)) throw error;
    makePrivateFolderSync(folder);
    return openSync(path, 'ax', PRIVATE_FILE);
  }
}

/**
 * Ends commands that killed Tiller processes left running. Only where the system distinguishes a process from a later
 * one with the same pid.
 */
export async function sweepProcesses(home: string): Promise<void> {
  const { platform } = process;
  for (const name of await recordNames(home)) {
    const path = join(folderOf(home), name);
    const record = await readRecord(path);
    if (record === undefined) await removeIfTorn(path);
    if (record === undefined || isRunning(record.owner)) continue;
    const { leader, mark } = record;
    if (platform === 'linux' && mark !== undefined) {
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

/** `undefined` for a missing file, and for one without its first line. */
async function readRecord(path: string): Promise<CommandRecord | undefined> {
  try {
    const lines = (await readFile(path, 'utf8')).split('\n').map((line) => parsedLine(line));
    return recordSchema.parse(Object.assign({}, ...lines));
  } catch {
    return undefined;
  }
}

/** Empty for an incomplete line. */
function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
