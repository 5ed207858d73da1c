/** The Storage port: TILLER_HOME on disk. */
import { randomUUID } from 'node:crypto';
import { closeSync, fdatasync, fstatSync, lstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { copyFile, open, readdir, readFile, rename, rm, stat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { AppendFile, Storage, StoredFile } from '../../core/ports.ts';
import { RedactedText, SecretRedactor } from '../../core/util/secretRedactor.ts';
import { isBelow } from '../../core/util/pathBelow.ts';
import { errorCode, isMissing } from '../../core/util/fileErrors.ts';
import { makePrivateFolder, PRIVATE_FILE, replacePrivateFile } from '../host/privateFiles.ts';
import { takeLock } from '../host/processLock.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of all of Tiller's files (docs/cli.md, "State"); absolute. */
export function tillerHome(environment: Environment, platform: NodeJS.Platform, homeDirectory: string): string {
  if (environment.TILLER_HOME) return resolve(environment.TILLER_HOME);
  switch (platform) {
    case 'darwin':
      return join(homeDirectory, 'Library', 'Application Support', 'Tiller');
    case 'win32':
      return join(environment.LOCALAPPDATA || join(homeDirectory, 'AppData', 'Local'), 'Tiller');
    default: {
      const dataHome = environment.XDG_DATA_HOME;
      // A relative path is invalid there and to be ignored (XDG Base Directory Specification).
      return join(dataHome && isAbsolute(dataHome) ? dataHome : join(homeDirectory, '.local', 'share'), 'tiller');
    }
  }
}

const TEMPORARY = '.tiller-tmp-';

/** `keys` are redacted in everything that is written as text. */
export function createStorage(home: string, keys = new SecretRedactor()): Storage {
  const at = (path: string): string => join(home, insideHome(path));
  const replace = (absolute: string, text: string | Uint8Array): Promise<void> =>
    replacePrivateFile(absolute, Buffer.from(text), join(dirname(absolute), `${TEMPORARY}${randomUUID()}`));
  return {
    home,
    async openAppend(path) {
      const absolute = at(path);
      await makePrivateFolder(dirname(absolute));
      return openAppendFile(absolute, keys);
    },
    readText: (path) => orUndefined(readWhole(at(path))),
    // Synchronous, as it is taken before each command: the thread pool takes ten times as long.
    async stamp(path) {
      const found = unlessMissing(() => statSync(at(path), { bigint: true, throwIfNoEntry: false }));
      if (found === undefined) refuseDeadLink(at(path));
      return found && `${found.ino}-${found.size}-${found.mtimeNs}-${found.ctimeNs}`;
    },
    writeText: (path, text) => replace(at(path), keys.hide(text)),
    // A link, which may lead to another disk, is kept: its target is replaced.
    writeBytes: async (path, bytes) => replace((await orUndefined(realpath(at(path)))) ?? at(path), bytes),
    async updateText(path, change) {
      await makePrivateFolder(dirname(at(path)));
      // A link to somewhere else, as people keep their own files, stays one.
      const absolute = (await orUndefined(realpath(at(path)))) ?? at(path);
      refuseDeadLink(absolute);
      const lock = await takeLock(join(dirname(absolute), `${TEMPORARY}${basename(absolute)}.lock`));
      try {
        await replace(absolute, keys.hide(change(await orUndefined(readWhole(absolute)))));
      } finally {
        lock.release();
      }
    },
    readBytes: (path, from, length) => readPiece(at(path), from, length),
    async listFiles(path) {
      return (await filesBelow(home, path === '' ? '' : insideHome(path))).toSorted();
    },
    async unreadable(path) {
      const unreadable: string[] = [];
      await filesBelow(home, insideHome(path), unreadable);
      return unreadable.toSorted();
    },
    async statFiles(path) {
      const files = (await filesBelow(home, insideHome(path))).toSorted();
      return files.flatMap((file) => statFile(join(home, file), file) ?? []);
    },
    async move(from, to) {
      const target = at(to);
      await makePrivateFolder(dirname(target));
      await moveFile(at(from), target);
    },
    remove: (path) => rm(at(path), { force: true }),
  };
}

/** @throws Error when the path would lead out of the home. */
function insideHome(path: string): string {
  const names = path.split('/');
  const isPlain = names.every((name) => name !== '' && name !== '.' && name !== '..');
  if (isPlain && !isAbsolute(path) && !/[\\\0]/.test(path)) return path;
  throw new Error(`Not a path inside TILLER_HOME: ${JSON.stringify(path)}`);
}

/**
 * Each write is one call that returns when the system has the bytes; a line torn by a crash is closed with a newline.
 */
function openAppendFile(path: string, keys: SecretRedactor): AppendFile {
  let descriptor: number | undefined = openSync(path, 'a+', PRIVATE_FILE);
  const opened = (): number => {
    if (descriptor === undefined) throw new Error(`${path} is closed.`);
    return descriptor;
  };
  const write = (text: string): void => {
    const bytes = Buffer.from(text, 'utf8');
    for (let written = 0; written < bytes.length; ) written += writeSync(opened(), bytes, written);
  };
  const append = (text: string | Iterable<string>): void => {
    if (typeof text === 'string') return write(keys.hide(text));
    const hidden = new RedactedText(keys);
    for (const piece of text) write(hidden.push(piece));
    write(hidden.end());
  };
  if (endsTorn(descriptor)) append('\n');
  return {
    path,
    append,
    sync: () =>
      new Promise((resolve, reject) => {
        fdatasync(opened(), (error) => (error === null ? resolve() : reject(error)));
      }),
    async close() {
      if (descriptor === undefined) return;
      closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

function endsTorn(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, size - 1);
  return last.toString('latin1') !== '\n';
}

/** @throws Error for a pipe or a socket, which might never end. */
async function readWhole(path: string): Promise<string> {
  const found = await stat(path);
  if (found.isFIFO() || found.isSocket()) throw new Error('it is a pipe or a socket, not a file');
  return readFile(path, 'utf8');
}

/** @throws Error for a link whose target is gone: it must not count as missing. */
function refuseDeadLink(path: string): void {
  const found = unlessMissing(() => lstatSync(path, { throwIfNoEntry: false }));
  if (found?.isSymbolicLink() && unlessMissing(() => statSync(path, { throwIfNoEntry: false })) === undefined) {
    throw new Error('it is a link that leads nowhere');
  }
}

async function readPiece(path: string, from: number, length: number): Promise<Uint8Array> {
  const file = await orUndefined(open(path, 'r'));
  if (file === undefined) return new Uint8Array();
  try {
    const there = Math.min(length, Math.max(0, (await file.stat()).size - from));
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(there), 0, there, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Synchronous: a thousand of these take 4 ms, and ten times as long through the thread pool. */
function statFile(absolute: string, path: string): StoredFile | undefined {
  const stat = statSync(absolute, { throwIfNoEntry: false });
  return stat === undefined ? undefined : { path, size: stat.size, modifiedAt: stat.mtimeMs };
}

/**
 * Old years of threads may be on another disk. In other folders listed files are also removed, so no link is followed
 * there.
 */
const MAY_LEAD_AWAY = 'threads';

/** `unreadable` gets folders and links whose files are not found. */
async function filesBelow(home: string, path: string, unreadable: string[] = []): Promise<string[]> {
  const folder = join(home, path);
  const entries = (await orUndefined(readdir(folder, { withFileTypes: true }))) ?? [];
  const found = entries.map(async (entry): Promise<string[]> => {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`;
    const isLink = entry.isSymbolicLink();
    const mayLeadAway = isBelow(inner, MAY_LEAD_AWAY);
    const file = isLink ? await stat(join(home, inner)).catch(() => undefined) : entry;
    if (file === undefined && mayLeadAway) unreadable.push(inner);
    if (file?.isDirectory()) {
      if (isLink && (!mayLeadAway || (await leadsBack(folder, entry.name)))) return [];
      // An unreadable folder hides only its own files.
      return filesBelow(home, inner, unreadable).catch(() => {
        unreadable.push(inner);
        return [];
      });
    }
    return file?.isFile() && !entry.name.startsWith(TEMPORARY) ? [inner] : [];
  });
  return (await Promise.all(found)).flat();
}

async function leadsBack(folder: string, link: string): Promise<boolean> {
  const [here, there] = await Promise.all([realpath(folder), realpath(join(folder, link))]);
  return isBelow(here, there);
}

/** Moves a file, also to another disk. */
async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    await copyFile(from, to);
    await rm(from);
  }
}

async function orUndefined<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Returns undefined as {@link orUndefined} does. An absent file costs less where `look` does not throw for it. */
function unlessMissing<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
