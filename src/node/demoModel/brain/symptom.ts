/** The kind of a failure, judged by the expected and actual values. */
import type { TestFailure } from './testReport.ts';

export type Symptom =
  /** An exception was thrown before an assertion. */
  | { readonly type: 'threw' }
  /** No value where one was expected: undefined, NaN, a promise. */
  | { readonly type: 'missing' }
  | { readonly type: 'flipped' }
  | { readonly type: 'number'; readonly expected: number; readonly actual: number }
  /** The right values in the wrong order. */
  | { readonly type: 'reordered' }
  /** Too many values, or too few. */
  | { readonly type: 'resized' }
  | { readonly type: 'other' };

export function symptomOf(failure: TestFailure): Symptom {
  if (/\bPromise \{/.test(failure.details)) return { type: 'missing' };
  if (!/AssertionError|ERR_ASSERTION/.test(failure.details)) return { type: 'threw' };
  const expected = leavesOf(failure.expected ?? 'undefined');
  const actual = leavesOf(failure.actual ?? 'undefined');
  if (isEmpty(actual) && !isEmpty(expected)) return { type: 'missing' };
  if (actual.length !== expected.length) return { type: 'resized' };
  if (isSame(actual.toSorted(), expected.toSorted())) return { type: isSame(actual, expected) ? 'other' : 'reordered' };
  const odd = expected.findIndex((leaf, index) => leaf !== actual[index]);
  return compare(expected[odd] ?? '', actual[odd] ?? '');
}

function compare(expected: string, actual: string): Symptom {
  const numbers = { expected: Number(expected), actual: Number(actual) };
  if (!Number.isNaN(numbers.expected) && !Number.isNaN(numbers.actual)) return { type: 'number', ...numbers };
  const truths = ['true', 'false'];
  return { type: truths.includes(expected) && truths.includes(actual) ? 'flipped' : 'other' };
}

/** The primitive values in a printed value, in order, whether it is printed as YAML or as JavaScript. */
function leavesOf(printed: string): string[] {
  const withoutKeys = printed.replace(/^\s*(?:'[^'\n]*'|[\w$-]+):(?=\s|$)/gm, '');
  const leaf = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|-?\b\d[\d.]*(?:e[+-]?\d+)?|\b(?:true|false|null|undefined|NaN)\b/g;
  return withoutKeys.match(leaf) ?? [];
}

function isEmpty(leaves: readonly string[]): boolean {
  return leaves.some((leaf) => leaf === 'undefined' || leaf === 'NaN' || leaf === 'null');
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((leaf, index) => leaf === others[index]);
}
