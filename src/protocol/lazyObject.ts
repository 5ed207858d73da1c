/**
 * Schemas of objects whose fields are made when the schema is first used. Making all of them takes some 30 ms of a start, in which
 * few are used. `z.lazy` is another type of schema: it cannot be extended, and is no option of a discriminated union.
 */
import * as z from 'zod';

const NEVER = z.never();
const UNKNOWN = z.unknown();

/** `z.object` of the fields that `fields` returns. */
export function lazyObject<Fields extends z.ZodRawShape>(fields: () => Fields): z.ZodObject<Fields> {
  return new z.ZodObject(definitionOf(fields)) as unknown as z.ZodObject<Fields>;
}

/** `z.strictObject` of them: other fields are refused. */
export function lazyStrictObject<Fields extends z.ZodRawShape>(
  fields: () => Fields,
): z.ZodObject<Fields, z.core.$strict> {
  return withOthers(NEVER, fields) as unknown as z.ZodObject<Fields, z.core.$strict>;
}

/** `z.looseObject` of them: other fields are kept. */
export function lazyLooseObject<Fields extends z.ZodRawShape>(
  fields: () => Fields,
): z.ZodObject<Fields, z.core.$loose> {
  return withOthers(UNKNOWN, fields) as unknown as z.ZodObject<Fields, z.core.$loose>;
}

/**
 * `lazyObject` with a field `type` of one value before the others: an option of a discriminated union by `type`. The union
 * finds it without its fields; of `lazyObject`s it makes all fields of all options at its first use.
 */
export function lazyVariant<Type extends string, Fields extends z.ZodRawShape>(
  type: Type,
  fields: () => Fields,
): z.ZodObject<Variant<Type, Fields>> {
  return knownAs(type, lazyObject(withType(type, fields)));
}

/** `lazyVariant` as a strict object. */
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

/** `propValues` are the values by which a discriminated union finds an option; zod computes them from all fields. */
function knownAs<Schema extends z.ZodType>(type: string, schema: Schema): Schema {
  schema._zod.propValues = { type: new Set([type]) };
  return schema;
}

/** `others`: of the fields that are not in `fields`. */
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
