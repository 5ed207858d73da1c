import * as z from 'zod';
import { lazyObject } from './lazyObject.ts';

/** Lines of a file, counted from 1, both included. */
export const lineRangeSchema = lazyObject(() => ({ first: z.int().positive(), last: z.int().positive() }));
export type LineRange = z.infer<typeof lineRangeSchema>;
