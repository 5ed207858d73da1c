/** The system call filter for `bwrap --seccomp`, as a file: not every way to start it can pass a descriptor. */
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { seccompProgram } from '../../core/sandbox/seccomp.ts';
import { makePrivateFolderSync, PRIVATE_FILE } from '../host/privateFiles.ts';

const written = new Set<string>();

/** The path of the filter, written to Tiller's `folder`. @throws Error when it cannot be written. */
export function filterFile(folder: string): string {
  const file = path.join(folder, `filter-${process.arch}`);
  if (written.has(file)) return file;
  const program = seccompProgram(process.arch);
  if (program === undefined) throw new Error(`There is no system call filter for ${process.arch}.`);
  if (!holds(file, program)) {
    makePrivateFolderSync(folder);
    const temporary = `${file}-${randomUUID()}`;
    writeFileSync(temporary, program, { mode: PRIVATE_FILE });
    renameSync(temporary, file);
  }
  written.add(file);
  return file;
}

function holds(file: string, program: Uint8Array): boolean {
  try {
    return readFileSync(file).equals(program);
  } catch {
    return false;
  }
}
