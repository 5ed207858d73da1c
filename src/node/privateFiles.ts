/** Files of TILLER_HOME: nobody else's business. */
import { unlinkSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMissing } from './errors.ts';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER });
}

/** A file that must not exist yet, on the disk and not only in its cache when this returns. */
export async function writeNewPrivateFile(path: string, chunks: readonly Uint8Array[]): Promise<void> {
  const file = await open(path, 'wx', PRIVATE_FILE);
  try {
    for (const chunk of chunks) await file.writeFile(chunk);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Afterwards it is the old file or the new one. `temporaryPath` is in the same folder. */
export async function replacePrivateFile(path: string, bytes: Uint8Array, temporaryPath: string): Promise<void> {
  await makePrivateFolder(dirname(path));
  try {
    await writeNewPrivateFile(temporaryPath, [bytes]);
    await rename(temporaryPath, path);
  } catch (error) {
    await rm(temporaryPath, { force: true });
    throw error;
  }
}

/** Does nothing where there is no such file. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
