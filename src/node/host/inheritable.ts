/**
 * Descriptors that a started program would inherit without being passed: Node closes its own, but not all of those that
 * it was itself started with.
 */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';

/** One entry of a program's descriptors; `ignore` for none. */
export type Descriptor = number | 'ignore';

const CLOSE_ON_EXEC = 0o2_000_000;
/** A buffer for a descriptor's facts in /proc, of which the flags come second. */
const facts = Buffer.alloc(128);

/** Returns the open descriptors above 2 that a child process would get. Linux only. */
export function inheritableDescriptors(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInheritable(descriptor));
}

let empty: number | undefined;

/** A descriptor of an empty file; stays open as long as this process. */
export function emptyDescriptor(): number {
  empty ??= openSync('/dev/null', 'r');
  return empty;
}

/** Uses a single read: an editor has dozens of descriptors, and this runs before each command. */
function isInheritable(descriptor: number): boolean {
  let file: number | undefined;
  try {
    file = openSync(`/proc/self/fdinfo/${descriptor}`, 'r');
    const flags = /^flags:\s*([0-7]+)$/m.exec(facts.toString('latin1', 0, readSync(file, facts)))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // Closed meanwhile: it was the descriptor of the directory listing.
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
