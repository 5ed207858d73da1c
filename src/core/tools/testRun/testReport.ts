/** Results of a test run: for the model in a few lines. */
import type { TestFailure, TestResults } from '../../../protocol/item.ts';
import { shortened } from '../../../protocol/text/truncate.ts';

/** Failed tests in one output, and characters of one message. */
const [MAX_FAILURES, MAX_MESSAGE] = [20, 800];

/** Describes a test run for the model: the counts, then the first failures. */
export function resultsText({ passed, failed, skipped, failures }: TestResults): string {
  const counts = [`${failed} failed`, `${passed} passed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])].join(', ');
  const more = failures.length - MAX_FAILURES;
  return [
    `${counts}.`,
    ...failures.slice(0, MAX_FAILURES).map(failureText),
    ...(more > 0 ? [`… and ${more} more failed tests.`] : []),
  ].join('\n');
}

function failureText({ name, path, line, message }: TestFailure): string {
  const place = path === undefined ? '' : ` (${path}${line === undefined ? '' : `:${line}`})`;
  const text = shortened(message.trim(), MAX_MESSAGE).replaceAll('\n', '\n    ');
  return `FAILED ${name}${place}${text === '' ? '' : `\n    ${text}`}`;
}

/** The first number before each word: `3 failed, 2 passed`. */
export function countIn(text: string, word: string): number {
  const [, count = '0'] = new RegExp(`(\\d+) ${word}\\b`).exec(text) ?? [];
  return Number(count);
}

/** `path:line` or `path:line:column` of a place in the workspace: not of a dependency or of the platform. */
const PLACE =
  /(?:^|[\s(])((?:\.{0,2}\/|[A-Za-z]:\\|[\w@.-]+[\\/])?[\w@./\\-]*?[\w@-]+\.\w+):(\d+)(?::\d+)?(?=[\s):]|$)/;

/** Characters of a line in which a place is looked for: without a place the time grows with their square. */
const MAX_LINE = 1_000;

/** The first place in these lines that the user may have written. */
export function placeIn(lines: readonly string[]): Pick<TestFailure, 'path' | 'line'> {
  for (const text of lines) {
    const [, path, line] = PLACE.exec(text.slice(0, MAX_LINE)) ?? [];
    if (path === undefined || /node_modules|^node:|site-packages|[\\/]rustc[\\/]/.test(path)) continue;
    return { path: path.replace(/^\.\//, ''), line: Number(line) };
  }
  return {};
}
