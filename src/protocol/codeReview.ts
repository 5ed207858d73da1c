/** A review of changes by the agent `reviewer`: its target and its findings. */
import * as z from 'zod';
import { lineRangeSchema } from './lineRange.ts';
import { lazyObject, lazyVariant } from './lazyObject.ts';

export const reviewTargetSchema = z.discriminatedUnion('type', [
  /** All uncommitted changes: staged, not staged, and untracked files. */
  lazyVariant('uncommitted', () => ({})),
  /** The changes since the merge base of the named branch and the current one; uncommitted changes included. */
  lazyVariant('branch', () => ({ branch: z.string().min(1) })),
  lazyVariant('commit', () => ({ commit: z.string().min(1), title: z.string().optional() })),
]);
export type ReviewTarget = z.infer<typeof reviewTargetSchema>;

/** The state of a finding. `sent`: it was sent to the thread to be fixed. */
export const findingStateSchema = z.enum(['open', 'sent', 'dismissed']);

export const findingSchema = lazyObject(() => ({
  /** An id that is unique in the review. */
  id: z.string(),
  /** The title, in one line. */
  title: z.string(),
  /** The explanation, as Markdown. */
  body: z.string(),
  /** The severity from 0 (must be fixed at once) to 3 (nice to have). Absent if the reviewer gave none. */
  priority: z.int().min(0).max(3).optional(),
  confidence: z.number().min(0).max(1).optional(),
  /** The path, relative to the working directory if possible. Absent if the file does not exist. */
  path: z.string().optional(),
  /** Absent where the file does not have these lines. */
  lines: lineRangeSchema.optional(),
  /** The first of these lines with their text at the time of the review, so that they can be found again. */
  quote: z.string().optional(),
  state: findingStateSchema,
}));
export type Finding = z.infer<typeof findingSchema>;
