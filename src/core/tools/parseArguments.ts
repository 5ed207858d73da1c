import type * as z from 'zod';
import type { Parsed, ToolPayload } from './handler.ts';
import { messageOf } from '../util/fileErrors.ts';
import { hasTooManyValues } from '../util/json.ts';

/**
 * Validates arguments with the tool's schema. Broken JSON is never repaired and never runs: the model gets the error
 * and can write the arguments again.
 */
export function parseArguments<Args>(schema: z.ZodType<Args>, payload: ToolPayload): Parsed<Args> {
  if (payload.type !== 'function') return invalid('this tool takes JSON arguments, not free text');
  if (hasTooManyValues(payload.arguments)) return invalid('they have too many values');
  let value: unknown;
  try {
    value = JSON.parse(payload.arguments === '' ? '{}' : payload.arguments);
  } catch (error) {
    return invalid(messageOf(error));
  }
  const parsed = schema.safeParse(dropNulls(value));
  if (parsed.success) return { type: 'parsed', args: parsed.data };
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`);
  return invalid(issues.slice(0, 5).join('; '));
}

function invalid(reason: string): Parsed<never> {
  return { type: 'invalid', message: `Failed to parse the arguments: ${reason}. Nothing was run.` };
}

/** Models write `null` for an omitted option. */
function dropNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}
