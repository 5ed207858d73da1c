/**
 * Converts schemas from outside (a client's tools, MCP servers) to the form that every model server accepts (seed 004,
 * `sanitize_json_schema`; codex-behaviour.md §9, "Schema clean-up"). Keys have a fixed order, so that the same schema
 * is the same bytes in every request.
 */
import type { JsonSchema } from '../../protocol/toolSpec.ts';

type Wild = Readonly<Record<string, unknown>>;

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const NUMERIC = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
/** Some servers fail on a schema that refers to itself; real arguments are not nested this deep. */
const DEEPEST = 16;

/**
 * The schema of a tool's arguments: always an object, without `anyOf` or `enum`, which servers refuse at the top level.
 */
export function sanitizeInputSchema(schema: unknown): JsonSchema {
  const root = asRecord(schema);
  const definitions = { ...asRecord(root['definitions']), ...asRecord(root['$defs']) };
  const { anyOf: _anyOf, enum: _enum, ...object } = sanitize({ ...root, type: 'object' }, definitions, 0);
  return object;
}

function sanitize(given: unknown, definitions: Wild, depth: number): JsonSchema {
  // `true` and `false` are valid schemas too, but contain nothing that a server understands.
  const schema = resolved(asRecord(given), definitions);
  if (depth > DEEPEST) return { type: 'string' };
  const nested = (value: unknown) => sanitize(value, definitions, depth + 1);
  const anyOf = [schema['anyOf'], schema['oneOf']].find((choices) => Array.isArray(choices));
  const type = typeOf(schema, anyOf !== undefined);
  const description = typeof schema['description'] === 'string' ? { description: schema['description'] } : {};
  return {
    ...(type === undefined ? {} : { type }),
    ...description,
    ...(hasType(type, 'object') ? objectParts(schema, nested) : {}),
    ...(hasType(type, 'array') ? { items: nested(schema['items'] ?? { type: 'string' }) } : {}),
    ...enumOf(schema),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(nested) }),
  };
}

/** Inlines `allOf` and `$ref` into the schema's own definitions, because servers do not follow them. */
function resolved(schema: Wild, definitions: Wild, hops = 0): Wild {
  const { $ref, allOf, ...own } = schema;
  const name = typeof $ref === 'string' ? /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec($ref)?.[1] : undefined;
  const parts = [
    ...(Array.isArray(allOf) ? allOf : []),
    ...(name === undefined || !Object.hasOwn(definitions, name) ? [] : [definitions[name]]),
  ];
  if (parts.length === 0 || hops > DEEPEST) return own;
  return [...parts.map((part) => resolved(asRecord(part), definitions, hops + 1)), own].reduce(merged, {});
}

function merged(left: Wild, right: Wild): Wild {
  const properties = { ...asRecord(left['properties']), ...asRecord(right['properties']) };
  const required = [...new Set([...strings(left['required']), ...strings(right['required'])])];
  return {
    ...left,
    ...right,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** The declared type, or the one that the other keywords imply. */
function typeOf(schema: Wild, isChoice: boolean): JsonSchema['type'] {
  const { type } = schema;
  if (typeof type === 'string' && TYPES.has(type)) return type;
  const types = strings(type).filter((each) => TYPES.has(each));
  if (types.length > 0) return types;
  if (isChoice) return undefined;
  if ('properties' in schema || 'required' in schema || 'additionalProperties' in schema) return 'object';
  if ('items' in schema || 'prefixItems' in schema) return 'array';
  if (NUMERIC.some((keyword) => keyword in schema)) return 'number';
  const values = enumOf(schema).enum ?? [];
  return values.length > 0 && values.every((value) => typeof value === 'number') ? 'number' : 'string';
}

function hasType(type: JsonSchema['type'], wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && type.includes(wanted));
}

function objectParts(schema: Wild, nested: (value: unknown) => JsonSchema): JsonSchema {
  const properties = Object.entries(asRecord(schema['properties'])).map(([name, value]) => [name, nested(value)]);
  const required = strings(schema['required']);
  const rest = schema['additionalProperties'];
  return {
    properties: Object.fromEntries(properties) as Record<string, JsonSchema>,
    ...(required.length === 0 ? {} : { required }),
    ...(rest === undefined ? {} : { additionalProperties: typeof rest === 'boolean' ? rest : nested(rest) }),
  };
}

function enumOf(schema: Wild): JsonSchema {
  if (Array.isArray(schema['enum'])) return { enum: schema['enum'] as readonly unknown[] };
  return 'const' in schema ? { enum: [schema['const']] } : {};
}

function asRecord(value: unknown): Wild {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Wild) : {};
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}
