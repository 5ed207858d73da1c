/**
 * Converts schemas from outside (a client's tools, MCP servers) to the form that every model server accepts
 * (`sanitize_json_schema` of Codex; codex-behaviour.md §9, "Schema clean-up"): type, description, properties, required,
 * items, additionalProperties, enum, const and anyOf are kept, references within the schema are replaced by their
 * targets, missing types are inferred, all other keywords are left out. Keys have a fixed order, so that the same
 * schema is the same bytes in every request. A schema may be hostile: the work and the result are bounded.
 */
import type { JsonSchema } from '../../protocol/toolSpec.ts';

type Wild = Readonly<Record<string, unknown>>;

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const NUMERIC = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
/** Some servers fail on a schema that refers to itself; real arguments are not nested this deep. */
const DEEPEST = 16;
/** Maximum schemas of one conversion. References multiply: sixteen that each name the next one twice are 65,536. */
const MAX_SCHEMAS = 4_000;
/** Maximum names in a reference. */
const MAX_STEPS = 64;

interface Conversion {
  /** References start here. */
  readonly root: unknown;
  /** Schemas that may still be converted. */
  left: number;
}

/**
 * The schema of a tool's arguments: always an object, without `anyOf`, `enum` and `const`, which servers refuse at the
 * top level.
 */
export function sanitizeInputSchema(schema: unknown): JsonSchema {
  const conversion: Conversion = { root: schema, left: MAX_SCHEMAS };
  const root = { ...asRecord(schema), type: 'object' };
  const { anyOf: _anyOf, enum: _enum, const: _const, ...object } = sanitize(root, conversion, 0);
  return object;
}

function sanitize(given: unknown, conversion: Conversion, depth: number): JsonSchema {
  // `true` and `false` are valid schemas too, but without a keyword that a server understands.
  const schema = resolved(asRecord(given), conversion);
  if (depth > DEEPEST || conversion.left <= 0) return { type: 'string' };
  const nested = (value: unknown) => sanitize(value, conversion, depth + 1);
  const anyOf = [own(schema, 'anyOf'), own(schema, 'oneOf')].find((choices) => Array.isArray(choices));
  const type = typeOf(schema, anyOf !== undefined);
  const description = own(schema, 'description');
  return {
    ...(type === undefined ? {} : { type }),
    ...(typeof description === 'string' ? { description } : {}),
    ...(hasType(type, 'object') ? objectParts(schema, nested) : {}),
    ...(hasType(type, 'array') ? { items: nested(own(schema, 'items') ?? { type: 'string' }) } : {}),
    ...valuesOf(schema),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.slice(0, MAX_SCHEMAS).map(nested) }),
  };
}

/** Inlines `allOf` and `$ref` into the schema itself, because servers do not follow them. */
function resolved(schema: Wild, conversion: Conversion, hops = 0): Wild {
  conversion.left--;
  const { $ref, allOf, ...rest } = schema;
  const target = typeof $ref === 'string' ? targetOf($ref, conversion.root) : undefined;
  const parts = [...(Array.isArray(allOf) ? allOf : []), ...(target === undefined ? [] : [target])];
  let whole: Wild = {};
  if (hops < DEEPEST) {
    for (const part of parts) {
      if (conversion.left <= 0) break;
      whole = merged(whole, resolved(asRecord(part), conversion, hops + 1));
    }
  }
  return merged(whole, rest);
}

/**
 * Returns the schema that a reference within the schema (a JSON pointer, RFC 6901) names; `undefined` for every other
 * reference.
 */
function targetOf(reference: string, root: unknown): unknown {
  if (!/^#(\/|$)/.test(reference)) return undefined;
  const steps = reference.split('/').slice(1);
  if (steps.length > MAX_STEPS) return undefined;
  let at = root;
  for (const step of steps) {
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Wild)[name];
  }
  return at;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function merged(left: Wild, right: Wild): Wild {
  const properties = { ...asRecord(own(left, 'properties')), ...asRecord(own(right, 'properties')) };
  const required = [...new Set([...strings(own(left, 'required')), ...strings(own(right, 'required'))])];
  return {
    ...left,
    ...right,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** The declared type, or the one that the other keywords imply. */
function typeOf(schema: Wild, isChoice: boolean): JsonSchema['type'] {
  const type = own(schema, 'type');
  if (typeof type === 'string' && TYPES.has(type)) return type;
  const types = [...new Set(strings(type).filter((each) => TYPES.has(each)))];
  if (types.length > 0) return types;
  if (isChoice) return undefined;
  const has = (keyword: string) => Object.hasOwn(schema, keyword);
  if (['properties', 'required', 'additionalProperties'].some(has)) return 'object';
  if (has('items') || has('prefixItems')) return 'array';
  if (NUMERIC.some(has)) return 'number';
  const [first = 'string', ...others] = new Set(allowedValues(schema).map(typeOfValue));
  return others.length === 0 ? first : [first, ...others];
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return TYPES.has(typeof value) ? typeof value : 'string';
}

function hasType(type: JsonSchema['type'], wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && type.includes(wanted));
}

function objectParts(schema: Wild, nested: (value: unknown) => JsonSchema): JsonSchema {
  const given = asRecord(own(schema, 'properties'));
  const properties = Object.entries(given).slice(0, MAX_SCHEMAS);
  // Some servers refuse a required argument without a schema.
  const required = strings(own(schema, 'required')).filter((name) => Object.hasOwn(given, name));
  const rest = own(schema, 'additionalProperties');
  return {
    properties: Object.fromEntries(properties.map(([name, value]) => [name, nested(value)])),
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
    ...(rest === undefined ? {} : { additionalProperties: typeof rest === 'boolean' ? rest : nested(rest) }),
  };
}

function allowedValues(schema: Wild): readonly unknown[] {
  const values = own(schema, 'enum');
  if (Array.isArray(values)) return values;
  return Object.hasOwn(schema, 'const') ? [own(schema, 'const')] : [];
}

function valuesOf(schema: Wild): JsonSchema {
  const values = own(schema, 'enum');
  return {
    ...(Array.isArray(values) ? { enum: values } : {}),
    ...(Object.hasOwn(schema, 'const') ? { const: own(schema, 'const') } : {}),
  };
}

/** Returns the schema's own value, never an inherited one. */
function own(schema: Wild, keyword: string): unknown {
  return Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
}

function asRecord(value: unknown): Wild {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Wild) : {};
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}
