import type { Parsed } from './handler.ts';
import { invalidArguments } from './parseArguments.ts';

type Given = Readonly<Record<string, unknown>>;

/**
 * Checks the arguments of a tool that came with a schema of its own: a required argument that is missing, and one of
 * another type than declared, are errors that the model can correct. Deeper parts, and ambiguous parts of the schema,
 * are checked by the tool itself. Where the schema allows no other arguments, those are left out and reported.
 */
export function checkArguments(schema: unknown, args: Given): Parsed<Given> {
  const root = asRecord(schema);
  const properties = asRecord(root['properties']);
  const required = Array.isArray(root['required']) ? root['required'] : [];
  const missing = required.filter((name) => typeof name === 'string' && !Object.hasOwn(args, name));
  const wrong = Object.entries(args).flatMap(([name, value]) => {
    const type = Object.hasOwn(properties, name) ? asRecord(properties[name])['type'] : undefined;
    return typeof type !== 'string' || isOfType(value, type) ? [] : [`${name}: expected ${type}`];
  });
  const problems = [...missing.map((name) => `${String(name)}: is required`), ...wrong];
  if (problems.length > 0) return invalidArguments(problems.slice(0, MAX_NAMED).join('; '));
  const isClosed = root['additionalProperties'] === false && Object.keys(properties).length > 0;
  const unknown = isClosed ? Object.keys(args).filter((name) => !Object.hasOwn(properties, name)) : [];
  if (unknown.length === 0) return { type: 'parsed', args };
  const known = Object.entries(args).filter(([name]) => Object.hasOwn(properties, name));
  return { type: 'parsed', args: Object.fromEntries(known), ignored: unknown.slice(0, MAX_NAMED) };
}

/** A model may write anything. */
const MAX_NAMED = 5;

/** True for a type that is not known. */
function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'number':
      return typeof value === type;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'null':
      return value === null;
    default:
      return true;
  }
}

function asRecord(value: unknown): Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Given) : {};
}
