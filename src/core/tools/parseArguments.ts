import * as z from 'zod';
import type { Parsed, ToolPayload } from './handler.ts';
import { messageOf } from '../util/fileErrors.ts';
import { excessOf, isJsonObject } from '../util/json.ts';

/**
 * Validates arguments with the tool's schema. Broken JSON is never repaired and never runs: the model gets the error
 * and can write the arguments again. Arguments that an object schema does not name are left out and reported.
 */
export function parseArguments<Args>(schema: z.ZodType<Args>, payload: ToolPayload): Parsed<Args> {
  if (payload.type !== 'function') return invalidArguments('this tool takes JSON arguments, not free text');
  const excess = excessOf(payload.arguments);
  if (excess !== undefined) return invalidArguments(`the JSON ${excess}`);
  let value: unknown;
  try {
    value = JSON.parse(payload.arguments === '' ? '{}' : payload.arguments);
  } catch (error) {
    return invalidArguments(messageOf(error));
  }
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : undefined;
  const given = known === undefined ? dropNulls(value) : withTimeout(dropNulls(value), known);
  const parsed = schema.safeParse(given);
  if (parsed.success) return { type: 'parsed', args: parsed.data, ...ignoredIn(given, known) };
  const issues = parsed.error.issues.slice(0, MAX_ISSUES).map((issue) => issueText(issue, given));
  const { ignored = [] } = ignoredIn(given, known);
  // A model that calls an argument by another name finds the right one beside it.
  const unknown = ignored.map((name) => `${name}: is no argument of this tool`);
  return invalidArguments([...issues, ...unknown].join('; '));
}

const MAX_ISSUES = 5;

function issueText({ path, code, message }: z.core.$ZodIssue, given: unknown): string {
  const isMissing = code === 'invalid_type' && path.length > 0 && valueAt(given, path) === undefined;
  return `${path.join('.') || 'arguments'}: ${isMissing ? 'is required' : message}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}

/** Names the fault, so that the model can write the arguments again. */
export function invalidArguments(reason: string): Parsed<never> {
  return { type: 'invalid', message: `Failed to parse the arguments: ${reason}. Nothing was run.` };
}

/** Models write `null` for an omitted option. */
function dropNulls(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}

/** Models that know another shell tool write `timeout` for `timeout_ms`; both are in milliseconds. */
function withTimeout(value: unknown, known: readonly string[]): unknown {
  if (!isJsonObject(value) || !('timeout' in value) || 'timeout_ms' in value) return value;
  if (!known.includes('timeout_ms') || known.includes('timeout')) return value;
  const { timeout, ...rest } = value;
  return { ...rest, timeout_ms: timeout };
}

/** The longest name that is reported, and how many are: a model may write anything. */
const [MAX_NAME, MAX_NAMES] = [40, 5];

function ignoredIn(value: unknown, known: readonly string[] | undefined): { readonly ignored?: readonly string[] } {
  if (known === undefined || !isJsonObject(value)) return {};
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  return unknown.length === 0 ? {} : { ignored: unknown.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME)) };
}
