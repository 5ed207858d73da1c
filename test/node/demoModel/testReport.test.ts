/** Test output as Node prints it: TAP into a pipe up to 22, the spec format since. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { symptomOf } from '../../../src/node/demoModel/brain/symptom.ts';
import { readTestRun, type TestRun } from '../../../src/node/demoModel/brain/testReport.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const FAILURES = `import test, { describe, it } from 'node:test';
import assert from 'node:assert/strict';
test('number', () => { assert.equal(110, 90); });
test('nothing', () => { assert.equal(undefined, 'x'); });
test('not a number', () => { assert.deepEqual({ a: NaN }, { a: 3 }); });
test('promise', () => { assert.deepEqual({ a: Promise.resolve(1) }, { a: 1 }); });
test('order', () => { assert.deepEqual([{ t: 'a', n: 1 }, { t: 'b', n: 2 }], [{ t: 'b', n: 2 }, { t: 'a', n: 1 }]); });
test('size', () => { assert.deepEqual(['a'], ['a', 'b']); });
test('emptiness', () => { assert.deepEqual([], ['a']); });
test('truth', () => { assert.equal(true, false); });
test('text', () => { assert.equal('one', "it's"); });
test('crash', () => { null.length; });
test('fine', () => {});
describe('group', () => { it('inner', () => { assert.equal(1.5, -3); }); });
`;

describe.each(['tap', 'spec'])('%s', (reporter) => {
  it('yields every failing test with its values, its message and its line', () => {
    const run = runTests(FAILURES, reporter);
    assert.ok(run.type === 'failed');
    assert.equal(run.count, 12);
    const symptoms = Object.fromEntries(run.failures.map((failure) => [failure.name, symptomOf(failure)]));
    assert.deepEqual(symptoms, {
      number: { type: 'number', expected: 90, actual: 110 },
      nothing: { type: 'missing' },
      'not a number': { type: 'missing' },
      promise: { type: 'missing' },
      order: { type: 'reordered' },
      size: { type: 'resized' },
      emptiness: { type: 'resized' },
      truth: { type: 'flipped' },
      text: { type: 'other' },
      crash: { type: 'threw' },
      inner: { type: 'number', expected: -3, actual: 1.5 },
    });
    assert.deepEqual(
      run.failures.map(({ places }) => places.at(-1)?.line),
      [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14],
    );
  });

  it('distinguishes tests that fail from tests that cannot be loaded', () => {
    const run = runTests('import test from "node:test"; test("x", () => {', reporter);
    assert.ok(run.type === 'could_not_run');
    assert.match(run.reason, /^SyntaxError: /);
  });

  it('counts tests that pass', () => {
    assert.deepEqual(runTests('import test from "node:test"; test("x", () => {});', reporter), {
      type: 'passed',
      count: 1,
    });
  });
});

function runTests(text: string, reporter: string): TestRun {
  using folder = tempFolder();
  writeFileSync(folder.at('a.test.mjs'), text);
  const args = ['--test', `--test-reporter=${reporter}`, 'a.test.mjs'];
  const { status, stdout } = spawnSync('node', args, { cwd: folder.path, encoding: 'utf8' });
  return readTestRun({ type: 'exited', exitCode: status ?? 1, output: stdout });
}
