/** Reads the answer of the agent `reviewer`: JSON in the form of Codex, also with other text around it. */
import * as z from 'zod';
import type { Finding } from '../../protocol/codeReview.ts';
import { inOneLine, shortened } from '../../protocol/text/truncate.ts';
import { clamp } from '../util/clamp.ts';
import { parseJson } from '../util/json.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

/** Findings of one review; characters of their texts. Further ones are left out, longer ones are cut. */
const LIMITS = { findings: 100, title: 200, body: 8_000, text: 8_000 } as const;

/** A finding before its place was looked up. `named`: the path as the reviewer wrote it. */
export type RawFinding = Omit<Finding, 'id' | 'path' | 'quote' | 'state'> & { readonly named?: string };

export type ReviewOutput =
  | {
      readonly type: 'read';
      readonly findings: readonly RawFinding[];
      readonly isCorrect?: boolean;
      readonly text: string;
    }
  /** `problem`: one sentence for the reviewer. */
  | { readonly type: 'malformed'; readonly problem: string };

const placeSchema = lazyObject(() => ({
  absolute_file_path: z.string().optional(),
  line_range: z.object({ start: z.number(), end: z.number() }).optional(),
}));

const findingSchema = lazyObject(() => ({
  title: z.string().trim().min(1),
  body: z.string().default(''),
  confidence_score: z.number().nullish(),
  priority: z.number().nullish(),
  // A finding is kept without its place where the place has another form.
  code_location: placeSchema.nullish().catch(null),
}));

const outputSchema = lazyObject(() => ({
  findings: z.array(findingSchema),
  overall_correctness: z.string().nullish(),
  overall_explanation: z.string().nullish(),
}));

export function readReviewOutput(answer: string): ReviewOutput {
  const value = jsonIn(answer);
  if (value === undefined) return { type: 'malformed', problem: 'it has no JSON object.' };
  const parsed = outputSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.join('.') ?? '';
    return { type: 'malformed', problem: `${field === '' ? '' : `${field}: `}${issue?.message ?? 'another form'}.` };
  }
  const { findings, overall_correctness: verdict, overall_explanation: text } = parsed.data;
  const isCorrect = /\bincorrect\b/i.test(verdict ?? '')
    ? false
    : /\bcorrect\b/i.test(verdict ?? '')
      ? true
      : undefined;
  return {
    type: 'read',
    findings: findings
      .map(rawFinding)
      .toSorted((one, other) => (one.priority ?? 4) - (other.priority ?? 4))
      .slice(0, LIMITS.findings),
    ...(isCorrect === undefined ? {} : { isCorrect }),
    text: shortened(text?.trim() ?? '', LIMITS.text),
  };
}

/** The object, or the one between the first `{` and the last `}`: a model may put a fence or a sentence around it. */
function jsonIn(answer: string): unknown {
  const whole = parseJson(answer.trim());
  if (whole !== undefined) return whole;
  const [start, end] = [answer.indexOf('{'), answer.lastIndexOf('}')];
  return start < 0 || end < start ? undefined : parseJson(answer.slice(start, end + 1));
}

function rawFinding({
  title,
  body,
  priority,
  confidence_score,
  code_location,
}: z.infer<typeof findingSchema>): RawFinding {
  // Codex' models also write the priority before the title.
  const [, written, rest] = /^\[P([0-3])\]\s*(.+)$/s.exec(title) ?? [];
  const level = priority ?? (written === undefined ? null : Number(written));
  const { absolute_file_path: named, line_range: range } = code_location ?? {};
  const lines = range && linesOf(range);
  return {
    title: inOneLine(rest ?? title, LIMITS.title),
    body: shortened(body.trim(), LIMITS.body),
    ...(level === null ? {} : { priority: clamp(Math.round(level), 0, 3) }),
    ...(confidence_score == null ? {} : { confidence: clamp(confidence_score, 0, 1) }),
    ...(named === undefined || named === '' ? {} : { named }),
    ...(lines ? { lines } : {}),
  };
}

function linesOf({ start, end }: { readonly start: number; readonly end: number }): Finding['lines'] {
  const isRange = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 1 && end >= start;
  return isRange ? { first: start, last: end } : undefined;
}
