/**
 * V8's code cache for the large bundles. Compiling them takes about 50 ms of each start; with a cache V8 only reads it. The
 * cache is made on the machine that uses it, because it fits one version of V8 only, and lies beside the bundle: it is code,
 * so it must not be where a command in the sandbox may write and the bundle itself may not. Used by scripts/build.mjs.
 */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { dirname } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

/** By then most of what a start needs is compiled. */
const STORE_AFTER_MS = 10_000;

/** Bytes before the cache that name the bundle it was made from: its size and its time of change. */
const STAMP_BYTES = 16;

interface CachedBundle {
  /** False while too little is compiled for a useful cache, as after `tiller --version`. */
  readonly hasWorked?: () => boolean;
}

/** Like `require` of an absolute path of a CommonJS bundle, with its code cache where there is one that fits. */
export function requireCached(file: string): unknown {
  const versionTag = cachedDataVersionTag();
  const cacheFile = `${file}.${versionTag}.cache`;
  const stamp = stampOf(file);
  const cachedData = cacheIn(cacheFile, stamp);
  const script = new Script(Module.wrap(readFileSync(file, 'utf8')), { filename: file, cachedData });
  const loaded: { readonly exports: CachedBundle } = { exports: {} };
  script.runInThisContext()(loaded.exports, createRequire(file), loaded, file, dirname(file));
  if (cachedData === undefined || script.cachedDataRejected === true)
    storeLater(loaded, script, { cacheFile, versionTag, stamp });
  return loaded.exports;
}

function stampOf(file: string): Buffer {
  const { size, mtimeMs } = statSync(file);
  const stamp = Buffer.alloc(STAMP_BYTES);
  stamp.writeDoubleLE(size, 0);
  stamp.writeDoubleLE(mtimeMs, 8);
  return stamp;
}

function cacheIn(cacheFile: string, stamp: Buffer): Buffer | undefined {
  try {
    const bytes = readFileSync(cacheFile);
    return bytes.subarray(0, STAMP_BYTES).equals(stamp) ? bytes.subarray(STAMP_BYTES) : undefined;
  } catch {
    return undefined;
  }
}

/** Once, after some seconds or at the end of the process. */
function storeLater(
  loaded: { readonly exports: CachedBundle },
  script: Script,
  { cacheFile, versionTag, stamp }: { readonly cacheFile: string; readonly versionTag: number; readonly stamp: Buffer },
): void {
  const store = () => {
    clearTimeout(timer);
    // While V8 has other flags (cli/youngGeneration.ts), no start would accept the cache.
    if (cachedDataVersionTag() !== versionTag) return;
    process.off('exit', store);
    if (loaded.exports.hasWorked?.() === false) return;
    replace(cacheFile, Buffer.concat([stamp, script.createCachedData()]));
  };
  const timer = setTimeout(store, STORE_AFTER_MS).unref();
  process.once('exit', store);
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
