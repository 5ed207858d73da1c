import * as z from 'zod';

/** Lines of a file, counted from 1, both included. */
export const lineRangeSchema = z.object({ first: z.int().positive(), last: z.int().positive() });
export type LineRange = z.infer<typeof lineRangeSchema>;
