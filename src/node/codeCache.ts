/**
 * V8's code cache for the large bundles. Compiling them takes about 50 ms of each start; with a cache V8 only reads it. The
 * cache is made on the machine that uses it, because it fits one version of V8 only, and lies beside the bundle: it is code,
 * so it must not be where a command in the sandbox may write and the bundle itself may not. Used by scripts/build.mjs.
 */
import { isAscii } from 'node:buffer';
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
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
 * Then two bytes: whether the process that made it had applied a patch, and how many made it again in vain since; rounded up, because V8
 * copies code that is not aligned.
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
  // Before the text: the code of an older bundle must not get the stamp of a newer one.
  const stamp = stampOf(statSync(file));
  return evaluate(compile({ file, cacheFile, stamp }, readFileSync(file), bytesOf(cacheFile)));
}

/**
 * Loads a module like `requireCached`, for a process whose thread serves others, too: the files are read beside it, and
 * compiling and evaluating are a turn of the event loop each. As a module it is loaded by `import()`, which resolves
 * with the value of `then`; again at the next `import()` when that fails.
 */
export function cachedModule(file: string): PromiseLike<unknown> {
  const load = onFirstUse(async () => {
    const cacheFile = cacheFileOf(file);
    const stamp = stampOf(await stat(file));
    const [bytes, cached] = await Promise.all([readFile(file), readFile(cacheFile).catch(() => undefined)]);
    const compiled = compile({ file, cacheFile, stamp }, bytes, cached);
    await setImmediate();
    return evaluate(compiled);
  });
  // oxlint-disable-next-line unicorn/no-thenable -- `import()` resolves with the value of `then`
  return { then: (onLoaded, onFailed) => load().then(onLoaded, onFailed) };
}

interface Bundle {
  readonly file: string;
  readonly cacheFile: string;
  readonly stamp: Buffer;
}

interface CompiledBundle extends Bundle {
  readonly script: Script;
  /** The cache that it was compiled from, unless V8 has rejected it. */
  readonly cache: Cache | undefined;
}

/** `cached`: the content of the cache's file. */
function compile(bundle: Bundle, bytes: Buffer, cached: Buffer | undefined): CompiledBundle {
  const cache = cached && cacheIn(cached, bundle.stamp);
  const script = new Script(moduleText(bytes), { filename: bundle.file, cachedData: cache?.code });
  return { ...bundle, script, cache };
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

/** Like `require` of a file, and asks for each module once: a bundle calls it some 300 times, and in VS Code each passes its hooks. */
function requireOnce(file: string): (name: string) => unknown {
  const load = createRequire(file);
  const known = new Map<string, unknown>();
  return (name) => {
    if (!known.has(name)) known.set(name, load(name));
    return known.get(name);
  };
}

const BEFORE = Buffer.from('(function (exports, require, module, __filename, __dirname) { ');
const AFTER = Buffer.from('\n});');

/**
 * A bundle as the function that Node.js makes of a CommonJS module. Bundles are ASCII (test/scenarios/codeCache.test.ts): then V8
 * keeps the bytes outside of its heap. Joining strings would leave three copies in the heap, of two bytes for each character.
 */
function moduleText(bundle: Buffer): string {
  const bytes = Buffer.concat([BEFORE, bundle, AFTER]);
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
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
