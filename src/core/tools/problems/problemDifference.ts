/** The difference that a patch has made to the problems of a file. */
import type { Problem } from '../../ports.ts';

export interface ProblemDifference {
  /** New problems, in the order of the list after the patch. */
  readonly added: readonly Problem[];
  /** Problems of the list before the patch that are gone. */
  readonly fixed: readonly Problem[];
}

/**
 * Pairs the problems of both lists, each at most once; unpaired ones are new or gone. A pair has the same severity,
 * message and origin. Its line may be another one, because a patch moves lines; pairs whose lines have the same text
 * come first, so that of two equal problems the one on the changed line is the new one.
 */
export function problemDifference(before: readonly Problem[], after: readonly Problem[]): ProblemDifference {
  const sameText = unpaired(before, after, (problem) => `${identity(problem)}\n${problem.lineText.trim()}`);
  const same = unpaired(sameText.before, sameText.after, identity);
  return { added: same.after, fixed: same.before };
}

function identity({ severity, message, origin }: Problem): string {
  return JSON.stringify([severity, message, origin]);
}

function unpaired(
  before: readonly Problem[],
  after: readonly Problem[],
  keyOf: (problem: Problem) => string,
): { readonly before: readonly Problem[]; readonly after: readonly Problem[] } {
  const waiting = new Map<string, Problem[]>();
  for (const problem of before) {
    const key = keyOf(problem);
    const list = waiting.get(key);
    if (list === undefined) waiting.set(key, [problem]);
    else list.push(problem);
  }
  const added = after.filter((problem) => waiting.get(keyOf(problem))?.shift() === undefined);
  const left = new Set([...waiting.values()].flat());
  return { before: before.filter((problem) => left.has(problem)), after: added };
}
