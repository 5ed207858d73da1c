/**
 * The system call filter as a descriptor for `bwrap --seccomp`, or as a file for those who cannot hand one over.
 */
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { seccompProgram } from '../../core/sandbox/seccomp.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../privateFiles.ts';

/** Hands over a descriptor of the filter for as long as `use` runs; `undefined` where there is no filter. */
export function withFilter<Result>(use: (descriptor: number) => Result): Result | undefined {
  const program = seccompProgram(process.arch);
  if (program === undefined) return undefined;
  const file = path.join(tmpdir(), `.tiller-filter-${process.pid}-${Math.random().toString(36).slice(2)}`);
  writeFileSync(file, program, { mode: PRIVATE_FILE, flag: 'wx' });
  const descriptor = openSync(file, 'r');
  unlinkSync(file);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const written = new Set<string>();

/** The file that holds the filter, in a folder of ours. @throws Error when it cannot be written. */
export function filterFile(folder: string): string {
  const file = path.join(folder, `filter-${process.arch}`);
  if (written.has(file)) return file;
  const program = seccompProgram(process.arch);
  if (program === undefined) throw new Error(`There is no system call filter for ${process.arch}.`);
  if (!holds(file, program)) {
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    const temporary = `${file}-${process.pid}`;
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
