/** The audit log: `audit.jsonl` in TILLER_HOME, 0600, rotated when it is large. */
import { closeSync, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AuditJournal } from '../../core/ports.ts';
import { type AuditEntry, auditEntrySchema } from '../../protocol/audit.ts';
import { isMissing } from '../../core/util/fileErrors.ts';
import { makePrivateFolderSync, PRIVATE_FILE } from '../host/privateFiles.ts';
import { redactDeep } from '../host/redact.ts';

export interface AuditOptions {
  readonly home: string;
  readonly redact: (text: string) => string;
  /** Bytes after which a new file is begun. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 8 * 1024 * 1024;
/** Older files beside the one that is written: `audit.1.jsonl` is the youngest of them. */
const OLD_FILES = 4;
const CHUNK = 64 * 1024;

export function createAuditJournal({ home, redact, maxBytes = MAX_BYTES }: AuditOptions): AuditJournal {
  const file = (age: number): string => join(home, age === 0 ? 'audit.jsonl' : `audit.${age}.jsonl`);
  return {
    append(entry) {
      const line = Buffer.from(`${JSON.stringify(redactDeep(entry, redact))}\n`, 'utf8');
      appendLine(file, line, maxBytes);
    },
    async latest(limit) {
      const entries: AuditEntry[] = [];
      for (let age = 0; age <= OLD_FILES && entries.length < limit; age++) {
        for await (const line of linesFromEnd(file(age))) {
          const entry = parse(line);
          if (entry) entries.push(entry);
          if (entries.length >= limit) break;
        }
      }
      return entries.toReversed();
    },
  };
}

/** Opened for each line: another process may have started a new file since. */
function appendLine(file: (age: number) => string, line: Buffer, maxBytes: number): void {
  let descriptor = openToAppend(file(0));
  try {
    const { size } = fstatSync(descriptor);
    if (size > 0 && size + line.length > maxBytes) {
      closeSync(descriptor);
      for (let age = OLD_FILES; age > 0; age--) moveIfThere(file(age - 1), file(age));
      descriptor = openSync(file(0), 'a+', PRIVATE_FILE);
    }
    const whole = endsTorn(descriptor) ? Buffer.concat([Buffer.from('\n'), line]) : line;
    for (let written = 0; written < whole.length; ) written += writeSync(descriptor, whole, written);
  } finally {
    closeSync(descriptor);
  }
}

function openToAppend(path: string): number {
  try {
    return openSync(path, 'a+', PRIVATE_FILE);
  } catch (error) {
    if (!isMissing(error)) throw error;
    makePrivateFolderSync(dirname(path));
    return openSync(path, 'a+', PRIVATE_FILE);
  }
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** A crash or a full disk may have left half a line. */
function endsTorn(descriptor: number): boolean {
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last.toString('latin1') !== '\n';
}

/** The last line first, read backwards a piece at a time. */
async function* linesFromEnd(path: string): AsyncIterable<string> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (!file) return;
  try {
    let rest: Buffer = Buffer.alloc(0);
    for (let end = (await file.stat()).size; end > 0; ) {
      const start = Math.max(0, end - CHUNK);
      const piece = Buffer.alloc(end - start);
      await file.read(piece, 0, piece.length, start);
      rest = Buffer.concat([piece, rest]);
      end = start;
      for (let at = rest.lastIndexOf('\n'); at !== -1; at = rest.lastIndexOf('\n')) {
        yield rest.subarray(at + 1).toString('utf8');
        rest = rest.subarray(0, at);
      }
    }
    yield rest.toString('utf8');
  } finally {
    await file.close();
  }
}

/** `undefined` for a line that is torn, empty or of a newer Tiller. */
function parse(line: string): AuditEntry | undefined {
  try {
    return auditEntrySchema.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
