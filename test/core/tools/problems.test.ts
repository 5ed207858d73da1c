/** Changes of the editor's problems by a patch, and their reports to the model and the user. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckedFile, Problem } from '../../../src/core/ports.ts';
import { isStaleReport } from '../../../src/core/tools/problems/isStaleReport.ts';
import { problemDifference } from '../../../src/core/tools/problems/problemDifference.ts';
import { problemReport } from '../../../src/core/tools/problems/problemReport.ts';

function problem(line: number, message: string, more: Partial<Problem> = {}): Problem {
  return { severity: 'error', line, column: 1, message, origin: 'ts 1', lineText: `text ${line}`, ...more };
}

/** Few different ones, so that equal problems are frequent. */
const anyProblem: fc.Arbitrary<Problem> = fc
  .record({
    severity: fc.constantFrom('error' as const, 'warning' as const),
    line: fc.integer({ min: 1, max: 5 }),
    column: fc.integer({ min: 1, max: 3 }),
    message: fc.constantFrom('a', 'b'),
    origin: fc.constantFrom('', 'ts 1'),
    lineText: fc.constantFrom('one', 'two'),
  })
  .map((each) => ({ ...each }));
const anyProblems = fc.array(anyProblem, { maxLength: 12 });

const identity = ({ severity, message, origin }: Problem) => `${severity} ${message} ${origin}`;

function countsOf(problems: readonly Problem[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const each of problems) counts.set(identity(each), (counts.get(identity(each)) ?? 0) + 1);
  return counts;
}

describe('the difference of two lists of problems', () => {
  it('leaves of each kind as many as there are more or fewer, and never both', () => {
    fc.assert(
      fc.property(anyProblems, anyProblems, (before, after) => {
        const { added, fixed } = problemDifference(before, after);
        const [was, is, more, fewer] = [before, after, added, fixed].map(countsOf) as [
          Map<string, number>,
          Map<string, number>,
          Map<string, number>,
          Map<string, number>,
        ];
        for (const kind of new Set([...was.keys(), ...is.keys()])) {
          const change = (is.get(kind) ?? 0) - (was.get(kind) ?? 0);
          expect(more.get(kind) ?? 0).toBe(Math.max(0, change));
          expect(fewer.get(kind) ?? 0).toBe(Math.max(0, -change));
        }
        expect(added.every((each) => after.includes(each))).toBe(true);
        expect(fixed.every((each) => before.includes(each))).toBe(true);
      }),
    );
  });

  it('is empty when every line has moved', () => {
    fc.assert(
      fc.property(anyProblems, fc.integer({ min: 1, max: 100 }), (before, down) => {
        const after = before.map((each) => ({ ...each, line: each.line + down }));
        expect(problemDifference(before, after)).toEqual({ added: [], fixed: [] });
      }),
    );
  });

  it('takes of equal problems the one on a line with another text for new', () => {
    const old = problem(3, 'no x', { lineText: 'x()' });
    const moved = { ...old, line: 4 };
    const added = problem(1, 'no x', { lineText: 'x() + 1' });
    expect(problemDifference([old], [added, moved])).toEqual({ added: [added], fixed: [] });
    expect(problemDifference([added, moved], [old])).toEqual({ added: [], fixed: [added] });
  });
});

describe('a report for an older text', () => {
  const lines = ['one', 'two', 'three', 'four'];
  const before = { lines, problems: [problem(4, 'wrong')] };
  const longer = ['new', ...lines];

  it('is recognized by a problem that did not move with its line', () => {
    expect(isStaleReport(before, { lines: longer, problems: [problem(4, 'wrong')] })).toBe(true);
    expect(isStaleReport(before, { lines: longer, problems: [problem(5, 'wrong')] })).toBe(false);
    expect(isStaleReport(before, { lines: longer, problems: [] })).toBe(false);
  });

  it('is recognized by a problem behind the last line', () => {
    expect(isStaleReport(before, { lines: ['one'], problems: [problem(2, 'other')] })).toBe(true);
  });

  it('is not recognized where the text before is not known', () => {
    expect(isStaleReport({ lines: [], problems: before.problems }, { lines, problems: before.problems })).toBe(false);
  });

  it('is not taken for old when the lines of the problem were rewritten, or did not move', () => {
    expect(isStaleReport(before, { lines: ['one', 'two', 'three', 'FOUR'], problems: before.problems })).toBe(false);
    const rewritten = ['one', 'two', 'three', 'FOUR', 'five'];
    expect(isStaleReport(before, { lines: rewritten, problems: before.problems })).toBe(false);
  });

  it('is never seen in problems that have moved with their lines', () => {
    fc.assert(
      fc.property(anyProblems, fc.integer({ min: 1, max: 9 }), (problems, down) => {
        const was = { lines: ['1', '2', '3', '4', '5'], problems };
        const now = {
          lines: [...Array.from({ length: down }, () => 'new'), ...was.lines],
          problems: problems.map((each) => ({ ...each, line: each.line + down })),
        };
        expect(isStaleReport(was, now)).toBe(false);
      }),
    );
  });
});

function file(path: string, more: Partial<CheckedFile> = {}): CheckedFile {
  return { path, isPatched: true, state: 'current', before: [], after: [], ...more };
}

const noteOf = (files: readonly CheckedFile[], level: 'errors' | 'errorsAndWarnings' = 'errors') =>
  problemReport(files, level, (path) => path)?.note;

describe('the report of a patch', () => {
  const error = problem(3, 'Type 1 is\n  not a string.', {
    column: 7,
    lineText: '  const x: string = 1;',
    origin: 'ts 2322',
  });
  const warning = problem(1, 'unused', { severity: 'warning', origin: 'eslint' });

  it('names new problems with place and source line, then those that are gone', () => {
    const gone = problem(9, 'no y');
    expect(noteOf([file('b.ts', { before: [gone] }), file('a.ts', { after: [warning, error] })])).toBe(
      [
        'Problems in the editor after this patch: 1 new error, 1 fixed.',
        'new: a.ts:3:7 error: Type 1 is not a string. (ts 2322) | const x: string = 1;',
        'fixed: b.ts error: no y (ts 1)',
      ].join('\n'),
    );
  });

  it('has warnings only where the setting says so, behind the errors', () => {
    const files = [file('a.ts', { after: [warning, error] })];
    expect(problemReport(files, 'errors', String)?.problems).toMatchObject({ errors: 1, warnings: 0 });
    expect(problemReport(files, 'errorsAndWarnings', String)?.problems).toMatchObject({ errors: 1, warnings: 1 });
    expect(noteOf(files, 'errorsAndWarnings')?.split('\n')[2]).toBe('new: a.ts:1:1 warning: unused (eslint) | text 1');
    expect(noteOf([file('a.ts', { after: [warning] })])).toBe('No new errors in the editor.');
  });

  it('never calls a file clean that was not checked, and guesses nothing about it', () => {
    const checking = file('a.ts', { state: 'checking', after: [error] });
    const unchecked = file('b.ts', { state: 'unchecked', before: [error] });
    expect(problemReport([checking, unchecked], 'errors', String)).toEqual({
      note: [
        'Still being checked, problems may follow: a.ts',
        'Problems unknown, because not open in the editor or not checked there: b.ts',
      ].join('\n'),
      problems: { errors: 0, warnings: 0, fixed: 0, checking: ['a.ts'], unchecked: ['b.ts'] },
    });
  });

  it('names another file only when it got worse', () => {
    const other = { isPatched: false } as const;
    const better = file('b.ts', { ...other, before: [error] });
    const changing = file('c.ts', { ...other, state: 'checking', after: [error] });
    expect(noteOf([file('a.ts'), better, changing])).toBe('No new errors in the editor.');
    expect(noteOf([better])).toBeUndefined();
    expect(noteOf([file('a.ts'), file('d.ts', { ...other, after: [error] })])).toContain('new: d.ts:3:7 error');
  });

  it('has at most 20 lines, errors first, whatever there is', () => {
    const states = fc.constantFrom('current' as const, 'checking' as const, 'unchecked' as const);
    const anyFile = fc
      .tuple(states, fc.boolean(), anyProblems, anyProblems, fc.constantFrom('a.ts', 'b.ts', 'c.ts'))
      .map(([state, isPatched, before, after, path]) => file(path, { state, isPatched, before, after }));
    fc.assert(
      fc.property(fc.array(anyFile, { maxLength: 12 }), (files) => {
        const lines = (noteOf(files, 'errorsAndWarnings') ?? '').split('\n');
        expect(lines.length).toBeLessThanOrEqual(20);
        const order = lines.flatMap(
          (line) => /^(new|fixed): .* (error|warning): /.exec(line)?.slice(1, 3).join() ?? [],
        );
        const ranks = order.map((kind) => ['new,error', 'new,warning', 'fixed,error', 'fixed,warning'].indexOf(kind));
        expect(ranks).toEqual(ranks.toSorted((one, other) => one - other));
      }),
    );
  });

  it('cuts long messages, long lines and long lists of names', () => {
    const long = problem(1, 'm'.repeat(5_000), { lineText: 'l'.repeat(5_000) });
    expect(noteOf([file('a.ts', { after: [long] })])?.length).toBeLessThan(700);
    const names = Array.from({ length: 30 }, (_nothing, index) => file(`${index}.ts`, { state: 'unchecked' }));
    expect(noteOf(names)).toMatch(/: 0\.ts, .* and 20 more$/);
  });
});
