/**
 * Schemas of objects whose fields are made when the schema is first used. Making all of them takes some 30 ms of a start, in which
 * few are used. `z.lazy` is another type of schema: it cannot be extended, and is no option of a discriminated union.
 */
import * as z from 'zod';

/** `z.object` of the fields that `fields` returns. */
export function lazyObject<Fields extends z.ZodRawShape>(fields: () => Fields): z.ZodObject<Fields> {
  return new z.ZodObject(definitionOf(fields)) as unknown as z.ZodObject<Fields>;
}

/** `z.strictObject` of them: other fields are refused. */
export function lazyStrictObject<Fields extends z.ZodRawShape>(
  fields: () => Fields,
): z.ZodObject<Fields, z.core.$strict> {
  const definition = Object.defineProperty(definitionOf(fields), 'catchall', { value: z.never(), enumerable: true });
  return new z.ZodObject(definition) as unknown as z.ZodObject<Fields, z.core.$strict>;
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
