/** Real outputs of test runners (test/fixtures/testRuns/README.md). */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { TEST_RUNNERS } from '../../../../src/core/tools/testRun/testRunners.ts';
import { placeIn, resultsText } from '../../../../src/core/tools/testRun/testReport.ts';
import { plainTerminalText } from '../../../../src/protocol/text/terminalText.ts';

const FOLDER = path.join(import.meta.dirname, '../../../fixtures/testRuns');
type Parsing = 'vitest' | 'jest' | 'mocha' | 'pytest' | 'go' | 'cargo';

function parsed(runner: Parsing, file = runner as string) {
  return TEST_RUNNERS[runner].parse(plainTerminalText(readFileSync(path.join(FOLDER, `${file}.txt`), 'utf8')));
}

/** Counts, and `name (path:line): message` of each failed test with the message in one line. */
function told(runner: Parsing, file?: string) {
  const { failures = [], ...counts } = parsed(runner, file) ?? {};
  const lines = failures.map(({ name, path: at, line, message }) => {
    return `${name} (${at}:${line}): ${message.replaceAll(/\s*\n\s*/g, ' / ')}`;
  });
  return { ...counts, lines };
}

describe('the output of', () => {
  it('vitest', () => {
    expect(told('vitest')).toEqual({
      passed: 2,
      failed: 3,
      skipped: 1,
      lines: [
        "src/broken.test.js (src/broken.test.js:1): Error: Cannot find module './missing.js' imported from /home/user/vt/src/broken.test.js",
        'sum > of a list > takes > two (src/sum.test.js:10): AssertionError: expected 3 to deeply equal 6 / - Expected / + Received / - 6 / + 3',
        'sum > refuses text (src/sum.test.js:14): TypeError: not a number: a',
      ],
    });
  });

  it('jest', () => {
    expect(told('jest')).toEqual({
      passed: 2,
      failed: 3,
      skipped: 1,
      lines: [
        'sum > of a list > takes > two (src/sum.test.js:10): expect(received).toEqual(expected) // deep equality / Expected: 6 / Received: 3',
        'sum > refuses text (src/sum.test.js:14): TypeError: not a number: a',
        "src/broken.test.js (src/broken.test.js:1): Cannot find module './missing.js' from 'src/broken.test.js'",
      ],
    });
  });

  it('mocha', () => {
    const { lines, ...counts } = told('mocha');
    expect(counts).toEqual({ passed: 1, failed: 2, skipped: 1 });
    expect(lines[0]).toBe('sum > refuses text (test/sum.js:15): TypeError: not a number: a');
    expect(lines[1]).toMatch(/^sum > of a list > takes > two \(test\/sum\.js:11\): AssertionError \[ERR_ASSERTION\]/);
  });

  it('pytest', () => {
    expect(told('pytest')).toEqual({
      passed: 2,
      failed: 3,
      skipped: 1,
      lines: [
        "TestLists > test_takes[6] (test_sums.py:13): AssertionError: assert {'sum': 3} == {'sum': 6} / Differing items: / {'sum': 3} != {'sum': 6} / Use -v to get more diff",
        'test_refuses_text (test_sums.py:17): TypeError: not a number: a',
        'test_database (test_sums.py:27): RuntimeError: no database',
      ],
    });
  });

  it('pytest, when a file cannot be loaded', () => {
    expect(told('pytest', 'pytest-collection')).toEqual({
      passed: 0,
      failed: 1,
      skipped: 0,
      lines: ["test_broken.py (test_broken.py:1): ModuleNotFoundError: No module named 'nothing_here'"],
    });
  });

  it('go test', () => {
    expect(told('go')).toEqual({
      passed: 1,
      failed: 3,
      skipped: 1,
      lines: [
        'TestTable/two (sums_test.go:21): sums_test.go:21: Add(1, 2) = 3, want 6',
        'TestText (sums_test.go:28): sums_test.go:28: Parse("a"): invalid syntax / second line of the message',
        'example.com/sums/broken (broken/broken_test.go:9): broken/broken_test.go:9:2: undefined: Missing',
      ],
    });
  });

  it('cargo test', () => {
    expect(told('cargo')).toEqual({
      passed: 1,
      failed: 2,
      skipped: 1,
      lines: [
        'tests::takes_lists (src/lib.rs:16): assertion `left == right` failed: the sum of 1 and 2 / left: 3 / right: 6',
        'refuses_text (tests/whole.rs:3): called `Result::unwrap()` on an `Err` value: ParseIntError { kind: InvalidDigit }',
      ],
    });
  });

  it('go test has each failed test without subtests, also one without a message, and nothing of a panic', () => {
    const failures = '--- FAIL: TestA (0.00s)\n    a_test.go:1: bad\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\tx/y\t0.1s\n';
    const results = TEST_RUNNERS.go.parse(failures);
    expect([results?.failed, results?.failures.map(({ name }) => name)]).toEqual([2, ['TestA', 'TestB']]);
    expect(TEST_RUNNERS.go.parse(`${failures}panic: boom [recovered]\n`)).toBeUndefined();
  });

  it('jest has no failure for what the tests print', () => {
    const failed = '  ● sum › adds\n\n    bad\n\n      at Object.x (a.test.js:3:1)\n';
    const output = `FAIL a.test.js\n  ● Console\n\n    console.log\n      hello\n\n${failed}\nTests:       1 failed, 1 total\n`;
    const results = TEST_RUNNERS.jest.parse(output);
    expect(results?.failures.map(({ name }) => name)).toEqual(['sum > adds']);
  });

  it('vitest is not read when a command has run it twice', () => {
    const run = (counts: string) => ` Test Files  1 ${counts} (1)\n      Tests  1 ${counts} (1)\n`;
    expect(TEST_RUNNERS.vitest.parse(run('passed'))).toMatchObject({ passed: 1, failed: 0 });
    expect(TEST_RUNNERS.vitest.parse(run('failed') + run('passed'))).toBeUndefined();
  });

  it.each(['vitest', 'jest', 'mocha', 'pytest', 'go', 'cargo'] as const)('another program is none of %s', (runner) => {
    expect(TEST_RUNNERS[runner].parse('Compiled 3 files.\nError: no such file\n')).toBeUndefined();
    expect(TEST_RUNNERS[runner].parse('')).toBeUndefined();
  });
});

it('the text for the model about many failed tests is short, and says how many there are', () => {
  const failures = Array.from({ length: 30 }, (_, at) => ({ name: `test ${at}`, message: 'x'.repeat(5_000) }));
  const text = resultsText({ passed: 1, failed: 30, skipped: 0, failures });
  expect(text.length).toBeLessThan(20_000);
  expect(text).toMatch(/^30 failed, 1 passed\.\nFAILED test 0\n {4}x+…\n/);
  expect(text.split('\n').at(-1)).toBe('… and 10 more failed tests.');
});

describe('the place of a failure', () => {
  it('is not looked for behind the beginning of a long line', () => {
    expect(placeIn(['at run (src/a.ts:3:1)'])).toEqual({ path: 'src/a.ts', line: 3 });
    const minified = 'x'.repeat(200_000);
    expect(placeIn([`at ${minified} (src/a.ts:3:1)`, 'at run (src/b.ts:4:1)'])).toEqual({ path: 'src/b.ts', line: 4 });
  });
});
