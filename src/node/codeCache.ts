/**
 * V8's code cache for the large bundles. Compiling them takes about 50 ms of each start; with a cache V8 only reads it. The
 * cache is made on the machine that uses it, because it fits one version of V8 only, and lies beside the bundle: it is code,
 * so it must not be where a command in the sandbox may write and the bundle itself may not. Used by scripts/build.mjs.
 */
import { isAscii } from 'node:buffer';
import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';
import { onFirstUse } from '../core/util/onFirstUse.ts';

/** By then most code of a start is compiled. */
const STORE_AFTER_MS = 10_000;

/** Each takes about 50 ms at the end of a process. */
const MOST_VAIN_ATTEMPTS = 3;

/** Bytes before the cache that name the bundle it was made from: its size and its time of change. */
const STAMP_BYTES = 16;
/**
 * Then two bytes: whether the process that made it had applied a patch, and how many made it again in vain since;
 * rounded up, because V8 copies code that is not aligned.
 */
const APPLIES_PATCHES = STAMP_BYTES;
const VAIN_ATTEMPTS = STAMP_BYTES + 1;
const HEADER_BYTES = STAMP_BYTES + 8;

interface CachedBundle {
  /** False while too little is compiled for a useful cache, as after `tiller --version`. */
  readonly hasWorked?: () => boolean;
  /**
   * Returns true if the functions that apply a patch are compiled. A process that has compiled them first makes the
   * cache again.
   */
  readonly hasAppliedPatch?: () => boolean;
}

/** Like `require` of an absolute path of a CommonJS bundle, with its code cache where there is one that fits. */
export function requireCached(file: string): unknown {
  const cacheFile = cacheFileOf(file);
  return evaluate(compile({ file, cacheFile }, readModule(file), bytesOf(cacheFile)));
}

/**
 * Loads a module like `requireCached`, for a process whose thread serves others, too: the files are read beside it, and
 * compiling and evaluating are a turn of the event loop each. As a module it is loaded by `import()`, which resolves
 * with the value of `then`; again at the next `import()` when that fails.
 */
export function cachedModule(file: string): PromiseLike<unknown> {
  const load = onFirstUse(async () => {
    const cacheFile = cacheFileOf(file);
    const [module, cached] = await Promise.all([
      readBeside(file, BEFORE, AFTER),
      readBeside(cacheFile).catch(() => undefined),
    ]);
    const compiled = compile({ file, cacheFile }, module, cached?.bytes);
    await setImmediate();
    return evaluate(compiled);
  });
  // oxlint-disable-next-line unicorn/no-thenable -- `import()` resolves with the value of `then`
  return { then: (onLoaded, onFailed) => load().then(onLoaded, onFailed) };
}

interface Bundle {
  readonly file: string;
  readonly cacheFile: string;
}

interface CompiledBundle extends Bundle {
  readonly stamp: Buffer;
  readonly script: Script;
  /** The cache that it was compiled from, unless V8 has rejected it. */
  readonly cache: Cache | undefined;
}

/** `module`: the bundle between `BEFORE` and `AFTER`; `cached`: the content of the cache's file. */
function compile(bundle: Bundle, module: Content, cached: Buffer | undefined): CompiledBundle {
  const stamp = stampOf(module.stats);
  const cache = cached && cacheIn(cached, stamp);
  const script = new Script(textOf(module.bytes), { filename: bundle.file, cachedData: cache?.code });
  return { ...bundle, stamp, script, cache };
}

function evaluate({ file, cacheFile, script, stamp, cache }: CompiledBundle): unknown {
  const loaded: { readonly exports: CachedBundle } = { exports: {} };
  script.runInThisContext()(loaded.exports, requireOnce(file), loaded, file, dirname(file));
  const isAccepted = cache !== undefined && script.cachedDataRejected !== true;
  const accepted = isAccepted ? { bytes: cache.code.length, vainAttempts: cache.vainAttempts } : undefined;
  // No listener without need: in the extension host other extensions have theirs.
  const mayLack =
    loaded.exports.hasAppliedPatch !== undefined &&
    cache?.appliesPatches === false &&
    cache.vainAttempts < MOST_VAIN_ATTEMPTS;
  if (accepted === undefined || mayLack) storeLater(loaded.exports, script, { cacheFile, stamp, accepted });
  return loaded.exports;
}

/**
 * Like `require` of a file, and asks for each module once: a bundle calls it some 300 times, and in VS Code each passes
 * its hooks.
 */
function requireOnce(file: string): (name: string) => unknown {
  const load = createRequire(file);
  const known = new Map<string, unknown>();
  return (name) => {
    if (!known.has(name)) known.set(name, load(name));
    return known.get(name);
  };
}

/** They make a bundle the function that Node.js makes of a CommonJS module. */
const BEFORE = Buffer.from('(function (exports, require, module, __filename, __dirname) { ');
const AFTER = Buffer.from('\n});');

/**
 * Bundles are ASCII (test/scenarios/codeCache.test.ts): then V8 keeps the bytes outside of its heap, in place of two for each
 * character in it.
 */
function textOf(module: Buffer): string {
  return module.toString(isAscii(module) ? 'latin1' : 'utf8');
}

/** The bytes of a file at the time of its `stats`. */
interface Content {
  readonly stats: Stats;
  readonly bytes: Buffer;
}

/** A bundle between `BEFORE` and `AFTER`, read in one piece: joined afterwards, its megabytes would be copied. */
function readModule(file: string): Content {
  const descriptor = openSync(file, 'r');
  try {
    const stats = fstatSync(descriptor);
    const bytes = between(BEFORE, AFTER, stats.size);
    const end = bytes.length - AFTER.length;
    let at = BEFORE.length;
    while (at < end) at += progress(readSync(descriptor, bytes, at, end - at, null), file);
    return { stats, bytes };
  } finally {
    closeSync(descriptor);
  }
}

/** The content of a file between `before` and `after`, read in one piece: `readFile` reads parts and joins them. */
async function readBeside(file: string, before: Buffer = NOTHING, after: Buffer = NOTHING): Promise<Content> {
  const handle = await open(file, 'r');
  try {
    const stats = await handle.stat();
    const bytes = between(before, after, stats.size);
    const end = bytes.length - after.length;
    let at = before.length;
    while (at < end) at += progress((await handle.read(bytes, at, end - at, null)).bytesRead, file);
    return { stats, bytes };
  } finally {
    await handle.close();
  }
}

const NOTHING = Buffer.alloc(0);

function between(before: Buffer, after: Buffer, size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(before.length + size + after.length);
  before.copy(bytes);
  after.copy(bytes, before.length + size);
  return bytes;
}

/** @throws when the file has become shorter while it was read */
function progress(bytesRead: number, file: string): number {
  if (bytesRead === 0) throw new Error(`${file} has changed while it was read.`);
  return bytesRead;
}

function cacheFileOf(file: string): string {
  return `${file}.${cachedDataVersionTag()}.cache`;
}

function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function stampOf({ size, mtimeMs }: Pick<Stats, 'size' | 'mtimeMs'>): Buffer {
  const stamp = Buffer.alloc(STAMP_BYTES);
  stamp.writeDoubleLE(size, 0);
  stamp.writeDoubleLE(mtimeMs, 8);
  return stamp;
}

interface Cache {
  readonly code: Buffer;
  readonly appliesPatches: boolean;
  readonly vainAttempts: number;
}

function cacheIn(bytes: Buffer, stamp: Buffer): Cache | undefined {
  if (!bytes.subarray(0, STAMP_BYTES).equals(stamp)) return undefined;
  return {
    code: bytes.subarray(HEADER_BYTES),
    appliesPatches: bytes[APPLIES_PATCHES] === 1,
    vainAttempts: bytes[VAIN_ATTEMPTS] ?? 0,
  };
}

interface Target {
  readonly cacheFile: string;
  readonly stamp: Buffer;
  /** The cache that the script was compiled from. */
  readonly accepted: { readonly bytes: number; readonly vainAttempts: number } | undefined;
}

const unstored = new Set<() => void>();

/**
 * Makes the caches that the bundles loaded by this one still lack. Call before collections of the whole heap, at which V8 forgets
 * compiled functions that are not in use; otherwise it is done later.
 */
export function storeCodeCaches(): void {
  for (const store of unstored) store();
}

/**
 * Stores the code once it has worked: after some seconds or at the end of the process without a cache, at the end only
 * to replace a cache without the functions for patches.
 */
function storeLater(bundle: CachedBundle, script: Script, { cacheFile, stamp, accepted }: Target): void {
  const store = () => {
    clearTimeout(timer);
    const appliesPatches = bundle.hasAppliedPatch?.() === true;
    const isNeeded = accepted === undefined ? bundle.hasWorked?.() !== false : appliesPatches;
    if (!isNeeded) return;
    process.off('exit', store);
    unstored.delete(store);
    const code = script.createCachedData();
    // V8 forgets functions that a long process has not called for a while.
    if (accepted !== undefined && code.length <= accepted.bytes)
      return countAttempt(cacheFile, accepted.vainAttempts + 1);
    const header = Buffer.alloc(HEADER_BYTES);
    stamp.copy(header);
    header[APPLIES_PATCHES] = appliesPatches ? 1 : 0;
    replace(cacheFile, Buffer.concat([header, code]));
  };
  const timer = accepted === undefined ? setTimeout(store, STORE_AFTER_MS).unref() : undefined;
  process.once('exit', store);
  unstored.add(store);
}

/** Other processes may do the same at this moment. The folder may be read-only: then every start compiles. */
function replace(file: string, bytes: Buffer): void {
  const temporary = `${file}.${process.pid}`;
  try {
    writeFileSync(temporary, bytes, { flush: true });
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}

/**
 * Counts in the file of the cache that was not replaced; one that another process has put there needs no further
 * attempt either.
 */
function countAttempt(file: string, attempts: number): void {
  try {
    const descriptor = openSync(file, 'r+');
    try {
      writeSync(descriptor, Buffer.of(attempts), 0, 1, VAIN_ATTEMPTS);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The folder is read-only.
  }
}
