/** One text and one hash for each value, whatever the order of its keys. */
import { createHash } from 'node:crypto';

/** The hash of `canonical(value)`, in hexadecimal digits. */
export function sha256(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex');
}

/** JSON with sorted keys. */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part: unknown) =>
      typeof part === 'object' && part !== null && !Array.isArray(part) ? sorted(part) : part,
    ) ?? 'null'
  );
}

/** Returns the record with its keys sorted. */
export function sorted(record: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
