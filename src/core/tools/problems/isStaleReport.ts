/** Recognizes a report that a language server made for an older text: VS Code does not report the version. */
import type { Problem } from '../../ports.ts';

export interface ReportedText {
  /** Without line ends; none where the text is not known. */
  readonly lines: readonly string[];
  readonly problems: readonly Problem[];
}

/**
 * True when `now` cannot be the report for its lines: a problem lies behind the last line, or one that was reported below
 * all changes is still at its old line although the lines there have moved. A report may be old and not be recognized.
 */
export function isStaleReport(before: ReportedText, now: ReportedText): boolean {
  if (now.problems.some(({ line }) => line > now.lines.length)) return true;
  const moved = now.lines.length - before.lines.length;
  if (moved === 0 || before.lines.length === 0) return false;
  const firstMoved = before.lines.length - equalEnd(before.lines, now.lines) + 1;
  const places = new Set(now.problems.map((problem) => place(problem, problem.line)));
  return before.problems.some(
    (problem) =>
      problem.line >= firstMoved &&
      places.has(place(problem, problem.line)) &&
      !places.has(place(problem, problem.line + moved)),
  );
}

function place({ severity, message, origin, column }: Problem, line: number): string {
  return JSON.stringify([severity, message, origin, column, line]);
}

/** The number of lines at the end that are the same in both. */
function equalEnd(before: readonly string[], now: readonly string[]): number {
  const most = Math.min(before.length, now.length);
  let count = 0;
  while (count < most && before.at(-1 - count) === now.at(-1 - count)) count++;
  return count;
}
