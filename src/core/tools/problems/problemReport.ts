/** Reports of the problems after a patch, for the model and the user. */
import type { PatchProblems } from '../../../protocol/item.ts';
import { shortened } from '../../../protocol/text/truncate.ts';
import type { CheckedFile, Problem } from '../../ports.ts';
import type { ProblemsAfterPatch } from '../handler.ts';
import { describeProblem } from './describeProblem.ts';
import { problemDifference } from './problemDifference.ts';

/** With the lines around the problems it is 20 lines at most. */
const MAX_PROBLEMS = 16;
const MAX_NAMES = 10;
/** Characters of a source line. */
const MAX_SOURCE = 120;

export interface ProblemReport {
  /** For the model; at most 20 lines. */
  readonly note: string;
  readonly problems: PatchProblems;
}

interface Changed {
  readonly name: string;
  readonly problem: Problem;
  readonly isNew: boolean;
}

/**
 * Returns `undefined` without anything to report: no file was patched except by deletion, and no other file got worse.
 * `nameOf` gives the path as the model knows it.
 */
export function problemReport(
  files: readonly CheckedFile[],
  level: ProblemsAfterPatch['level'],
  nameOf: (path: string) => string,
): ProblemReport | undefined {
  const patched = files.filter(({ isPatched }) => isPatched);
  const namesIn = (state: CheckedFile['state']) =>
    patched.filter((file) => file.state === state).map(({ path }) => nameOf(path));
  const changed = files.filter(({ state }) => state === 'current').flatMap((file) => changesIn(file, level, nameOf));
  if (patched.length === 0 && changed.length === 0) return undefined;
  const added = changed.filter(({ isNew }) => isNew);
  const errors = added.filter(({ problem }) => problem.severity === 'error').length;
  const problems: PatchProblems = {
    errors,
    warnings: added.length - errors,
    fixed: changed.length - added.length,
    checking: namesIn('checking'),
    unchecked: namesIn('unchecked'),
  };
  return { note: noteOf(problems, changed.toSorted(byWeight), level), problems };
}

/** The changes of one file; none for an open file that the patch did not change and that has no new problems. */
function changesIn(
  { path, isPatched, before, after }: CheckedFile,
  level: ProblemsAfterPatch['level'],
  nameOf: (path: string) => string,
): readonly Changed[] {
  const counts = ({ severity }: Problem) => level === 'errorsAndWarnings' || severity === 'error';
  const { added, fixed } = problemDifference(before.filter(counts), after.filter(counts));
  if (!isPatched && added.length === 0) return [];
  const name = nameOf(path);
  return [
    ...added.map((problem) => ({ name, problem, isNew: true })),
    ...fixed.map((problem) => ({ name, problem, isNew: false })),
  ];
}

/** New before fixed, errors before warnings, then by place. */
function byWeight(one: Changed, other: Changed): number {
  return (
    Number(other.isNew) - Number(one.isNew) ||
    Number(one.problem.severity === 'warning') - Number(other.problem.severity === 'warning') ||
    compare(one.name, other.name) ||
    one.problem.line - other.problem.line ||
    one.problem.column - other.problem.column
  );
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function noteOf(
  { errors, warnings, fixed, checking, unchecked }: PatchProblems,
  changed: readonly Changed[],
  level: ProblemsAfterPatch['level'],
): string {
  const kind = level === 'errors' ? 'errors' : 'errors or warnings';
  const counts = [
    counted(errors, 'new error'),
    counted(warnings, 'new warning'),
    fixed === 0 ? '' : `${fixed} fixed`,
  ].filter((part) => part !== '');
  const isAllCurrent = checking.length + unchecked.length === 0;
  const more = changed.length - MAX_PROBLEMS;
  return [
    ...(counts.length > 0 ? [`Problems in the editor after this patch: ${counts.join(', ')}.`] : []),
    ...(counts.length === 0 && isAllCurrent ? [`No new ${kind} in the editor.`] : []),
    ...changed.slice(0, MAX_PROBLEMS).map(lineOf),
    ...(more > 0 ? [`… and ${more} more.`] : []),
    ...(checking.length > 0 ? [`Still being checked, problems may follow: ${list(checking)}`] : []),
    ...(unchecked.length > 0
      ? [`Problems unknown, because not open in the editor or not checked there: ${list(unchecked)}`]
      : []),
  ].join('\n');
}

function counted(count: number, noun: string): string {
  if (count === 0) return '';
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A fixed problem has no place any more. */
function lineOf({ name, problem, isNew }: Changed): string {
  if (!isNew) return `fixed: ${describeProblem(name, problem).replace(/:\d+:\d+ /, ' ')}`;
  const source = shortened(problem.lineText.trim(), MAX_SOURCE);
  return `new: ${describeProblem(name, problem)}${source === '' ? '' : ` | ${source}`}`;
}

function list(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return more > 0 ? `${names.slice(0, MAX_NAMES).join(', ')} and ${more} more` : names.join(', ');
}
