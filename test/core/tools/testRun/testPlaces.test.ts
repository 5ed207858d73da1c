import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunnerName } from '../../../../src/core/tools/testRun/testRunners.ts';
import { TEST_RUNNERS } from '../../../../src/core/tools/testRun/testRunners.ts';
import { withPlaces } from '../../../../src/core/tools/testRun/testPlaces.ts';

const FOLDER = path.join(import.meta.dirname, '../../../fixtures/testRuns');
const output = (runner: string) => readFileSync(path.join(FOLDER, `${runner}.txt`), 'utf8');

/** `name path:line` of each failure of a run in /w/server by a thread in /w. */
async function placed(runner: RunnerName & ('go' | 'cargo' | 'pytest'), printed: string, files: readonly string[]) {
  const failures = TEST_RUNNERS[runner].parse(printed)?.failures ?? [];
  const run = { folder: '/w/server', cwd: '/w', runner, output: printed };
  const found = await withPlaces(failures, run, {
    stat: async (file: string) => (files.includes(file) ? { type: 'file', size: 1 } : undefined) as never,
    readBytes: async () => new TextEncoder().encode('// mine\nmodule example.com/sums\n\ngo 1.25\n'),
  });
  return found.map(({ name, path: at, line }) => `${name} ${at}:${line}`);
}

describe('the places of failed tests', () => {
  it('of go are in the folder of the package that its FAIL line names', async () => {
    const files = ['/w/server/sums_test.go', '/w/server/pkg/sums_test.go', '/w/server/broken/broken_test.go'];
    expect(await placed('go', output('go'), files)).toEqual([
      'TestTable/two server/sums_test.go:21',
      'TestText server/sums_test.go:28',
      'example.com/sums/broken server/broken/broken_test.go:9',
    ]);
    const inner = output('go').replace('FAIL\texample.com/sums\t', 'FAIL\texample.com/sums/pkg\t');
    expect((await placed('go', inner, files))[0]).toBe('TestTable/two server/pkg/sums_test.go:21');
  });

  it('of go are left out where the package is of another module, or two packages have the same test and file', async () => {
    const files = ['/w/server/sums_test.go', '/w/server/pkg/sums_test.go'];
    const other = output('go').replace('FAIL\texample.com/sums\t', 'FAIL\texample.com/others\t');
    expect((await placed('go', other, files))[1]).toBe('TestText undefined:undefined');
    const twice = `${output('go')}${output('go').replace('FAIL\texample.com/sums\t', 'FAIL\texample.com/sums/pkg\t')}`;
    expect((await placed('go', twice, files))[1]).toBe('TestText undefined:undefined');
    expect((await placed('go', twice, files.slice(1)))[1]).toBe('TestText server/pkg/sums_test.go:28');
  });

  it('of cargo can be relative to the workspace above the package', async () => {
    expect(
      await placed('cargo', output('cargo'), ['/w/src/lib.rs', '/w/tests/whole.rs', '/w/server/tests/whole.rs']),
    ).toEqual(['tests::takes_lists src/lib.rs:16', 'refuses_text server/tests/whole.rs:3']);
  });

  it('of other runners are in the folder of the command only', async () => {
    expect((await placed('pytest', output('pytest'), ['/w/test_sums.py']))[0]).toMatch(/ undefined:undefined$/);
    expect((await placed('pytest', output('pytest'), ['/w/server/test_sums.py']))[0]).toMatch(
      / server\/test_sums\.py:13$/,
    );
  });
});
