/**
 * Descriptors that a program we start would inherit although nobody hands them over: Node closes its own, but not all
 * that it was itself started with.
 */
import { readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2_000_000;

export function inheritableDescriptors(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInheritable(descriptor));
}

function isInheritable(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // Closed meanwhile: it was the one that listed them.
    return false;
  }
}
