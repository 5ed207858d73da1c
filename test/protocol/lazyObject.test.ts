/** Schemas whose fields are made at their first use: otherwise the same as those of zod. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { lazyLooseObject, lazyObject, lazyStrictObject } from '../../src/protocol/lazyObject.ts';

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

test('a lazy object may contain itself', () => {
  interface Tree {
    readonly inner: readonly Tree[];
  }
  const tree: z.ZodType<Tree> = lazyObject(() => ({ inner: z.array(tree) }));
  expect(tree.parse({ inner: [{ inner: [] }] })).toEqual({ inner: [{ inner: [] }] });
});
