/** The base of a side copy after something of it came home, or was undone there. */
import { contentHash } from '../../core/baseline/contentHash.ts';
import type { CopyChange, SettledFile } from '../../core/sideCopies/sideCopy.ts';
import { type BaseEntry, BaseWriter } from './copyBase.ts';
import { CopyFiles } from './copyFiles.ts';
import { MAX_KEPT_BYTES, stampOf } from './makeCopy.ts';

/** `folder`: that of the copy. @throws the error of the disk */
export function settleFiles(folder: string, files: readonly SettledFile[]): void {
  const writer = new BaseWriter(folder);
  try {
    for (const file of files) writer.add(file.change.copy, entryAfter(file, writer));
  } finally {
    writer.close();
  }
}

/** `base`: the former base of each file. @throws the error of the disk */
export function unsettleFiles(folder: string, files: readonly Pick<CopyChange, 'copy' | 'base'>[]): void {
  const writer = new BaseWriter(folder);
  for (const { copy, base } of files) writer.add(copy, base ?? null);
  writer.close();
}

/** `null`: the base has no such file. */
function entryAfter({ change, base, mode: kept }: SettledFile, writer: BaseWriter): BaseEntry | null {
  const { copy, result } = change;
  const mode = kept ?? (result.type === 'file' ? result.mode : 0o644);
  if (base.type === 'bytes') {
    return { type: 'file', hash: contentHash(base.bytes), mode, at: writer.keep(base.bytes), stamp: null };
  }
  if (base.type === 'base') return change.base?.type === 'file' ? { ...change.base, mode, stamp: null } : null;
  if (result.type !== 'file') return null;
  using files = new CopyFiles();
  const read = files.read(copy, MAX_KEPT_BYTES);
  // The agent may have written it since it was compared: then it differs from this base.
  if (read === undefined || contentHash(read.bytes) !== result.hash) {
    return { type: 'file', hash: result.hash, mode, at: null, stamp: null };
  }
  return { type: 'file', hash: result.hash, mode, at: writer.keep(read.bytes), stamp: stampOf(read.stats) };
}
