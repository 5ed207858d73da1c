/** Schemas whose fields are made at their first use: otherwise the same as those of zod. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import {
  lazyLooseObject,
  lazyObject,
  lazyStrictObject,
  lazyStrictVariant,
  lazyVariant,
} from '../../src/protocol/lazyObject.ts';

function counted<Fields extends z.ZodRawShape>(fields: Fields) {
  const seen = { made: 0 };
  const make = () => {
    seen.made++;
    return fields;
  };
  return { seen, make };
}

const fields = () => ({ type: z.literal('a'), name: z.string(), size: z.number().default(1) });
const GIVEN = [{ type: 'a', name: 'n' }, { type: 'a', name: 'n', size: 2, more: true }, { type: 'b', name: 'n' }, 'a'];
const others = () => ({ name: z.string(), size: z.number().default(1) });
const results = (schema: z.ZodType) => GIVEN.map((given) => schema.safeParse(given));

test('a lazy object makes its fields once, at the first use', () => {
  const { seen, make } = counted(fields());
  const schema = lazyObject(make);
  const list = z.array(schema.optional());
  expect(seen.made).toBe(0);
  list.parse([{ type: 'a', name: 'n' }]);
  schema.parse({ type: 'a', name: 'n' });
  schema.loose().parse({ type: 'a', name: 'n' });
  expect(seen.made).toBe(1);
});

test.each([
  ['an object', lazyObject(fields), z.object(fields())],
  ['a strict object', lazyStrictObject(fields), z.strictObject(fields())],
  ['a loose object', lazyLooseObject(fields), z.looseObject(fields())],
  ['an object made strict', lazyObject(fields).strict(), z.object(fields()).strict()],
  ['an extended object', lazyObject(fields).extend({ name: z.int() }), z.object(fields()).extend({ name: z.int() })],
  ['a variant', lazyVariant('a', others), z.object(fields())],
  ['a strict variant', lazyStrictVariant('a', others), z.strictObject(fields())],
  [
    'an extended variant',
    lazyVariant('a', others).extend({ type: z.literal('b') }),
    z.object({ ...fields(), type: z.literal('b') }),
  ],
  ['a part', lazyStrictObject(fields).partial(), z.strictObject(fields()).partial()],
])('%s accepts, refuses and describes what that of zod does', (_what, lazy, eager) => {
  expect(results(lazy)).toEqual(results(eager));
  expect(Object.keys(lazy.shape)).toEqual(Object.keys(eager.shape));
  expect(z.toJSONSchema(lazy)).toEqual(z.toJSONSchema(eager));
});

test('a lazy object is an option of a discriminated union, which makes no fields before its first use', () => {
  const { seen, make } = counted(fields());
  const union = z.discriminatedUnion('type', [
    lazyObject(make),
    lazyStrictObject(() => ({ type: z.literal('b'), name: z.string() })),
  ]);
  expect(seen.made).toBe(0);
  expect(GIVEN.map((given) => union.safeParse(given).success)).toEqual([true, true, true, false]);
  expect(union.safeParse({ type: 'b', name: 'n', more: 1 }).success).toBe(false);
});

test('a discriminated union of variants makes the fields of the one that it meets, and of no other', () => {
  const met = counted(others());
  const other = counted(others());
  const union = z.discriminatedUnion('type', [lazyVariant('a', met.make), lazyStrictVariant('b', other.make)]);
  expect(union.safeParse({ type: 'a', name: 'n' }).success).toBe(true);
  expect(union.safeParse({ type: 'c', name: 'n' }).success).toBe(false);
  expect([met.seen.made, other.seen.made]).toEqual([1, 0]);
});

test('two variants of one union cannot have the same type', () => {
  const union = z.discriminatedUnion('type', [lazyVariant('a', others), lazyVariant('a', others)]);
  expect(() => union.parse({ type: 'a', name: 'n' })).toThrow('Duplicate discriminator value');
});

test('a lazy object may contain itself', () => {
  interface Tree {
    readonly inner: readonly Tree[];
  }
  const tree: z.ZodType<Tree> = lazyObject(() => ({ inner: z.array(tree) }));
  expect(tree.parse({ inner: [{ inner: [] }] })).toEqual({ inner: [{ inner: [] }] });
});
