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
  const parsed = payloadSchemas[type as RolloutEntry['type']].safeParse(
    hasOldName(line) ? withNewNames(payload) : payload,
  );
  if (!parsed.success) return undefined;
  return { type, payload: parsed.data, timestamp: typeof timestamp === 'string' ? timestamp : '' } as ReadEntry;
}

/** Fields of rollouts that were written before 0.2, by the names that they have now. */
const NEW_NAMES: Readonly<Record<string, string>> = { noBoxCause: 'noSandboxCause' };

/** Returns true if the line has a name of the old format. Most have none and are not copied. */
function hasOldName(line: string): boolean {
  return Object.keys(NEW_NAMES).some((name) => line.includes(`"${name}"`));
}

/** Renames fields of a payload, of its event and of the settings in either. */
function withNewNames(payload: unknown, level = 0): unknown {
  if (level > 2 || typeof payload !== 'object' || payload === null || Array.isArray(payload)) return payload;
  return Object.fromEntries(
    Object.entries(payload).map(([name, value]) => [
      Object.hasOwn(NEW_NAMES, name) ? NEW_NAMES[name] : name,
      name === 'msg' || name === 'settings' ? withNewNames(value, level + 1) : value,
    ]),
  );
}
