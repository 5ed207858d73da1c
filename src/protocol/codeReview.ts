/** A review of changes by the agent `reviewer`: its target and its findings. */
import * as z from 'zod';
import { lineRangeSchema } from './lineRange.ts';
import { lazyObject, lazyVariant } from './lazyObject.ts';

export const reviewTargetSchema = z.discriminatedUnion('type', [
  /** Staged, not staged and untracked. */
  lazyVariant('uncommitted', () => ({})),
  /** The changes since the merge base of the named branch and the current one; uncommitted changes included. */
  lazyVariant('branch', () => ({ branch: z.string().min(1) })),
  lazyVariant('commit', () => ({ commit: z.string().min(1), title: z.string().optional() })),
]);
export type ReviewTarget = z.infer<typeof reviewTargetSchema>;

/** `sent`: the thread has got it to fix it. */
export const findingStateSchema = z.enum(['open', 'sent', 'dismissed']);

export const findingSchema = lazyObject(() => ({
  /** Unique in its review. */
  id: z.string(),
  /** One line. */
  title: z.string(),
  /** Markdown. */
  body: z.string(),
  /** 0: must be fixed at once, 3: would be nice. Absent where the reviewer gave none. */
  priority: z.int().min(0).max(3).optional(),
  confidence: z.number().min(0).max(1).optional(),
  /** Relative to the working directory if possible. Absent where the file does not exist. */
  path: z.string().optional(),
  /** Absent where the file does not have these lines. */
  lines: lineRangeSchema.optional(),
  /** The first of these lines as they were, so that they can be found again. */
  quote: z.string().optional(),
  state: findingStateSchema,
}));
export type Finding = z.infer<typeof findingSchema>;
