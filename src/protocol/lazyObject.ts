/**
 * Schemas of objects whose fields are created when the schema is first used. Creating all of them would add about 30 ms
 * to a start, which uses few of them. `z.lazy` does not help: it is another type of schema that cannot be extended and
 * is not accepted as an option of a discriminated union.
 */
import * as z from 'zod';

const NEVER = z.never();
const UNKNOWN = z.unknown();

/** Like `z.object`, with the fields that `fields` returns. */
export function lazyObject<Fields extends z.ZodRawShape>(fields: () => Fields): z.ZodObject<Fields> {
  return new z.ZodObject(definitionOf(fields)) as unknown as z.ZodObject<Fields>;
}

/** Like `z.strictObject`: other fields are refused. */
export function lazyStrictObject<Fields extends z.ZodRawShape>(
  fields: () => Fields,
): z.ZodObject<Fields, z.core.$strict> {
  return withOthers(NEVER, fields) as unknown as z.ZodObject<Fields, z.core.$strict>;
}

/** Like `z.looseObject`: other fields are kept. */
export function lazyLooseObject<Fields extends z.ZodRawShape>(
  fields: () => Fields,
): z.ZodObject<Fields, z.core.$loose> {
  return withOthers(UNKNOWN, fields) as unknown as z.ZodObject<Fields, z.core.$loose>;
}

/**
 * Like `lazyObject`, with a first field `type` that has one value: for the options of a discriminated union by `type`.
 * The union can select such an option without creating its fields; among `lazyObject`s, it creates the fields of all
 * options at its first use.
 */
export function lazyVariant<Type extends string, Fields extends z.ZodRawShape>(
  type: Type,
  fields: () => Fields,
): z.ZodObject<Variant<Type, Fields>> {
  return knownAs(type, lazyObject(withType(type, fields)));
}

/** Like `lazyVariant`, as a strict object. */
export function lazyStrictVariant<Type extends string, Fields extends z.ZodRawShape>(
  type: Type,
  fields: () => Fields,
): z.ZodObject<Variant<Type, Fields>, z.core.$strict> {
  return knownAs(type, lazyStrictObject(withType(type, fields)));
}

type Variant<Type extends string, Fields extends z.ZodRawShape> = z.core.util.Extend<
  { readonly type: z.ZodLiteral<Type> },
  Fields
>;

function withType<Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: () => Fields) {
  return () => ({ type: z.literal(type), ...fields() }) as unknown as Variant<Type, Fields> & z.ZodRawShape;
}

/**
 * Sets `propValues`, the values by which a discriminated union finds an option. Otherwise zod computes them from all
 * fields.
 */
function knownAs<Schema extends z.ZodType>(type: string, schema: Schema): Schema {
  schema._zod.propValues = { type: new Set([type]) };
  return schema;
}

/** Returns an object schema. `others`: the schema for fields that are not in `fields`. */
function withOthers(others: z.ZodType, fields: () => z.ZodRawShape): z.ZodObject {
  return new z.ZodObject(Object.defineProperty(definitionOf(fields), 'catchall', { value: others, enumerable: true }));
}

function definitionOf(fields: () => z.ZodRawShape): z.core.$ZodObjectDef {
  let made: z.ZodRawShape | undefined;
  return {
    type: 'object',
    get shape() {
      made ??= fields();
      return made;
    },
  };
}
