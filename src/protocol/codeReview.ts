/** A review of changes by the agent `reviewer`: what it is about, and the findings. */
import * as z from 'zod';
import { lineRangeSchema } from './lineRange.ts';

export const reviewTargetSchema = z.discriminatedUnion('type', [
  /** Staged, not staged and untracked. */
  z.object({ type: z.literal('uncommitted') }),
  /** What was changed since the branch that is named and this one parted; uncommitted changes included. */
  z.object({ type: z.literal('branch'), branch: z.string().min(1) }),
  z.object({ type: z.literal('commit'), commit: z.string().min(1), title: z.string().optional() }),
]);
export type ReviewTarget = z.infer<typeof reviewTargetSchema>;

/** `sent`: the thread has got it to fix it. */
export const findingStateSchema = z.enum(['open', 'sent', 'dismissed']);
export type FindingState = z.infer<typeof findingStateSchema>;

export const findingSchema = z.object({
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
});
export type Finding = z.infer<typeof findingSchema>;

/** What is reviewed, in a few words of English: for titles of threads, agents and messages to the model. */
export function reviewSubject(target: ReviewTarget): string {
  switch (target.type) {
    case 'uncommitted':
      return 'uncommitted changes';
    case 'branch':
      return `changes against ${target.branch}`;
    case 'commit':
      return target.title === undefined ? `commit ${target.commit}` : `commit ${target.commit}: ${target.title}`;
  }
}

/** `[P1] Title (src/a.ts:3-5)`, then the text. For the model and for exports. */
export function findingText({ title, body, priority, path, lines }: Finding): string {
  const level = priority === undefined ? '' : `[P${priority}] `;
  const place = path === undefined ? '' : ` (${path}${lines === undefined ? '' : `:${rangeText(lines)}`})`;
  return `${level}${title}${place}\n${body}`.trim();
}

/** `3`, or `3-5`. */
export function rangeText({ first, last }: z.infer<typeof lineRangeSchema>): string {
  return first === last ? `${first}` : `${first}-${last}`;
}
