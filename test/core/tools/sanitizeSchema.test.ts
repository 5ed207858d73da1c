/** Schemas of MCP servers and clients, in a form that every model server accepts (docs/reference/codex-behaviour.md §9). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sanitizeInputSchema } from '../../../src/core/tools/sanitizeSchema.ts';

/** The result for one argument. */
function argument(schema: unknown, more: object = {}): unknown {
  return sanitizeInputSchema({ type: 'object', properties: { x: schema }, ...more }).properties?.['x'];
}

describe('the schema of a tool’s arguments', () => {
  it.each([[undefined], [null], [true], ['nonsense'], [{}], [{ type: 'string' }]])(
    'is an object, whatever the input is: %o',
    (given) => {
      expect(sanitizeInputSchema(given)).toEqual({ type: 'object', properties: {} });
    },
  );

  it('keeps common keywords, in one order of keys', () => {
    const schema = {
      required: ['city'],
      additionalProperties: false,
      properties: { city: { description: 'Where.', type: 'string' }, unit: { enum: ['c', 'f'] } },
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 'Weather',
      type: 'object',
    };
    expect(JSON.stringify(sanitizeInputSchema(schema))).toBe(
      '{"type":"object","properties":{"city":{"type":"string","description":"Where."},"unit":{"type":"string","enum":["c","f"]}},"required":["city"],"additionalProperties":false}',
    );
  });

  it('has no union at the top level, which servers refuse', () => {
    expect(sanitizeInputSchema({ anyOf: [{ required: ['a'] }], properties: { a: {} } })).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
    });
  });
});

describe('an argument', () => {
  const text = { type: 'string' };
  it.each<[string, unknown, unknown]>([
    ['of nothing is text', {}, text],
    ['of true is text', true, text],
    ['with properties is an object', { properties: {} }, { type: 'object', properties: {} }],
    ['with required is an object', { required: ['a'] }, { type: 'object', properties: {} }],
    [
      'requires only what it has',
      { properties: { a: {} }, required: ['a', 'b', 'toString', 'a'] },
      { type: 'object', properties: { a: text }, required: ['a'] },
    ],
    ['of type object has properties', { type: 'object' }, { type: 'object', properties: {} }],
    ['with items is a list', { items: { type: 'number' } }, { type: 'array', items: { type: 'number' } }],
    ['of type array has items', { type: 'array' }, { type: 'array', items: text }],
    ['with enum is text', { enum: ['a'] }, { type: 'string', enum: ['a'] }],
    ['with an enum of numbers is a number', { enum: [1, 2] }, { type: 'number', enum: [1, 2] }],
    [
      'with an enum of several kinds has all their types',
      { enum: [true, 'a', null] },
      { type: ['boolean', 'string', 'null'], enum: [true, 'a', null] },
    ],
    ['with const keeps it', { const: 'a' }, { type: 'string', const: 'a' }],
    ['with const null keeps it', { const: null }, { type: 'null', const: null }],
    ['with a bound is a number, without it', { minimum: 1 }, { type: 'number' }],
    ['of type integer stays one', { type: 'integer', maximum: 3 }, { type: 'integer' }],
    ['of two types keeps both', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    ['of an unknown type is text', { type: 'file' }, text],
    ['of a choice keeps it', { oneOf: [text, { items: {} }] }, { anyOf: [text, { type: 'array', items: text }] }],
    [
      'with a map keeps it',
      { additionalProperties: { minimum: 0 } },
      { type: 'object', properties: {}, additionalProperties: { type: 'number' } },
    ],
    [
      'in parts is one',
      { allOf: [{ properties: { a: {} } }, { properties: { b: {} }, required: ['b'] }] },
      { type: 'object', properties: { a: text, b: text }, required: ['b'] },
    ],
  ])('%s', (_case, given, expected) => {
    expect(argument(given)).toEqual(expected);
  });

  it('that is a reference is replaced by its definition', () => {
    const $defs = { Point: { type: 'object', properties: { x: { type: 'number' } } } };
    expect(argument({ $ref: '#/$defs/Point', description: 'Where.' }, { $defs })).toEqual({
      type: 'object',
      description: 'Where.',
      properties: { x: { type: 'number' } },
    });
    expect(argument({ $ref: '#/$defs/None' }, { $defs })).toEqual(text);
  });

  it('that is a reference to any place of the schema is replaced by it; one that leads elsewhere is text', () => {
    const more = {
      definitions: { 'a/b~c d': { type: 'boolean' } },
      $defs: { list: { anyOf: [{ type: 'number' }, { type: 'null' }] } },
    };
    expect(argument({ $ref: '#/definitions/a~1b~0c%20d' }, more)).toEqual({ type: 'boolean' });
    expect(argument({ $ref: '#/$defs/list/anyOf/1' }, more)).toEqual({ type: 'null' });
    const properties = { y: { type: 'integer' }, x: { $ref: '#/properties/y' } };
    expect(sanitizeInputSchema({ properties }).properties?.['x']).toEqual({ type: 'integer' });
    for (const $ref of ['#/$defs/toString', '#/$defs/__proto__', 'https://example.com/x', '#/%E0%A4%A', 'x', 1]) {
      expect(argument({ $ref }, more)).toEqual(text);
    }
  });

  it('that contains itself is cut off', () => {
    const $defs = { Tree: { properties: { child: { $ref: '#/$defs/Tree' } } }, Loop: { $ref: '#/$defs/Loop' } };
    expect(JSON.stringify(argument({ $ref: '#/$defs/Tree' }, { $defs })).length).toBeLessThan(2000);
    expect(argument({ $ref: '#/$defs/Loop' }, { $defs })).toEqual(text);
  });
});

it('of any kind has known types only, objects with properties, lists with items, and is stable', () => {
  const known = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
  const check = (schema: Readonly<Record<string, unknown>>): void => {
    const types = [schema['type'] ?? []].flat() as string[];
    for (const type of types) expect(known).toContain(type);
    if (types.includes('object')) expect(schema['properties']).toBeDefined();
    if (types.includes('array')) expect(schema['items']).toBeDefined();
    const inner = [schema['items'], ...Object.values(schema['properties'] ?? {}), ...((schema['anyOf'] as []) ?? [])];
    for (const each of inner) if (each) check(each as Record<string, unknown>);
  };
  const keys = ['type', 'properties', 'items', 'anyOf', 'allOf', 'enum', '$ref', 'required', 'x', '__proto__'];
  const leaf = fc.constantFrom<unknown[]>('object', 'array', 'x', 1, null, '#/$defs/x', ['string', 'null']);
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.dictionary(fc.constantFrom(...keys), tie('schema'), { maxKeys: 4 }),
      fc.array(tie('schema'), { maxLength: 3 }),
    ),
  }));
  fc.assert(
    fc.property(schema, schema, (given, x) => {
      const clean = sanitizeInputSchema({ properties: { a: given }, $defs: { x } });
      check(clean);
      expect(JSON.stringify(sanitizeInputSchema(clean))).toBe(JSON.stringify(clean));
    }),
  );
});

describe('a hostile schema', () => {
  /** The conversion ends, and so does every reader of its result. */
  const sizeOf = (schema: unknown) => JSON.stringify(sanitizeInputSchema(schema)).length;

  it('that is nested 10,000 deep is cut off', () => {
    let nested: unknown = { type: 'string' };
    for (let depth = 0; depth < 10_000; depth++) {
      nested =
        depth % 3 === 0 ? { items: nested } : depth % 3 === 1 ? { properties: { a: nested } } : { allOf: [nested] };
    }
    expect(sizeOf(nested)).toBeLessThan(2_000);
    expect(sizeOf({ properties: { a: nested } })).toBeLessThan(2_000);
  });

  it('whose references multiply is bounded', () => {
    const names = Array.from({ length: 40 }, (_, at) => `d${at}`);
    const to = (at: number) => ({ $ref: `#/$defs/d${at + 1}` });
    const multiplying = (of: (at: number) => unknown) => ({
      properties: { a: to(-1) },
      $defs: Object.fromEntries(names.map((name, at) => [name, of(at)])),
    });
    const parts = (at: number) => Array.from({ length: 10 }, () => to(at));
    expect(sizeOf(multiplying((at) => ({ anyOf: parts(at) })))).toBeLessThan(200_000);
    expect(sizeOf(multiplying((at) => ({ allOf: parts(at) })))).toBeLessThan(200_000);
    expect(sizeOf(multiplying((at) => ({ properties: { a: to(at), b: to(at), c: to(at) } })))).toBeLessThan(200_000);
  });

  it('that names itself is cut off', () => {
    for (const $ref of ['#', '#/properties/a', '#/properties', '#/$defs/x']) {
      expect(sizeOf({ $ref, properties: { a: { $ref } }, $defs: { x: { $ref } }, allOf: [{ $ref }] })).toBeLessThan(
        200_000,
      );
    }
    const cyclic: Record<string, unknown> = { properties: {} };
    cyclic['properties'] = { a: cyclic, b: cyclic };
    expect(sizeOf(cyclic)).toBeLessThan(400_000);
  });

  it('with names of the prototype keeps them as names, and changes no prototype', () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"number"},"constructor":{"const":1}},"required":["__proto__"],"__proto__":{"enum":[1]}}',
    );
    const clean = sanitizeInputSchema(schema);
    expect(JSON.stringify(clean)).toBe(
      '{"type":"object","properties":{"__proto__":{"type":"number"},"constructor":{"type":"number","const":1}},"required":["__proto__"]}',
    );
    expect(Object.getPrototypeOf(clean.properties)).toBe(Object.prototype);
    expect('enum' in {}).toBe(false);
  });

  it('of a megabyte is converted', () => {
    const entries = Array.from({ length: 20_000 }, (_, at) => [
      `argument${at}`,
      { type: 'string', description: 'x'.repeat(20) },
    ]);
    expect(Object.keys(sanitizeInputSchema({ properties: Object.fromEntries(entries) }).properties ?? {})).toHaveLength(
      4_000,
    );
  });
});
