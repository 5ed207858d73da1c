/**
 * Descriptors that a program we start would inherit although nobody hands them over: Node closes its own, but not all
 * that it was itself started with.
 */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';

/** What stands at one place of a program's descriptors; at `ignore` nothing does. */
export type Descriptor = number | 'ignore';

const CLOSE_ON_EXEC = 0o2_000_000;
/** Holds what /proc says of a descriptor, whose flags come second. */
const facts = Buffer.alloc(128);

export function inheritableDescriptors(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInheritable(descriptor));
}

let empty: number | undefined;

/** Of a file without content; stays open as long as we live. */
export function emptyDescriptor(): number {
  empty ??= openSync('/dev/null', 'r');
  return empty;
}

/** Read in one go: there are dozens in an editor, and this is done before each command. */
function isInheritable(descriptor: number): boolean {
  let file: number | undefined;
  try {
    file = openSync(`/proc/self/fdinfo/${descriptor}`, 'r');
    const flags = /^flags:\s*([0-7]+)$/m.exec(facts.toString('latin1', 0, readSync(file, facts)))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // Closed meanwhile: it was the one that listed them.
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
