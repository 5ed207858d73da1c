import { payloadSchemas, type RolloutEntry } from './line.ts';

export type ReadEntry = RolloutEntry & { readonly timestamp: string };

/** Returns `undefined` for anything that is not a complete line of a known type. */
export function parseLine(line: string): ReadEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('type' in value) || !('payload' in value)) return undefined;
  const { type, payload, timestamp } = value as { type: unknown; payload: unknown; timestamp?: unknown };
  if (typeof type !== 'string' || !Object.hasOwn(payloadSchemas, type)) return undefined;
  const parsed = payloadSchemas[type as RolloutEntry['type']].safeParse(payload);
  if (!parsed.success) return undefined;
  return { type, payload: parsed.data, timestamp: typeof timestamp === 'string' ? timestamp : '' } as ReadEntry;
}
