/** The report of `npm test` on a suite that fails, is killed, or passes only in another attempt. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { outcomesFile, startOutcomes, summaryOf } from '../../scripts/test/outcomes.mjs';
import { type TempFolder, tempFolder } from '../support/tempFolder.ts';

const root = path.join(import.meta.dirname, '../..');
const PATIENT = { timeout: 30_000 };

describe('the outcomes of a suite', () => {
  const passed = { name: 'a', state: 'passed' } as const;
  const failed = { name: 'a', state: 'failed', message: 'no', file: 'a.test.ts' } as const;
  const flaky = { name: 'a', message: 'no' };
  const beside = { ...failed, name: 'a hook', isBeside: true };

  test.each([
    ['one that passed', [passed], { passed: 1 }],
    ['one that was left out', [{ name: 'a', state: 'skipped' }], { skipped: ['a'] }],
    ['one that failed', [failed, passed, { ...failed, name: 'b' }], { passed: 1, failed: 1, flaky: [flaky] }],
    ['one that passed in another attempt', [failed, { ...passed, attempt: 2 }], { passed: 1, flaky: [flaky] }],
    ['one that passed after a retry in its process', [{ ...passed, message: 'no' }], { passed: 1, flaky: [flaky] }],
    [
      'one that has no second chance',
      [
        { ...failed, isFinal: true },
        { ...passed, attempt: 2 },
      ],
      { failed: 1 },
    ],
    ['a hook that failed', [beside], { failed: 1 }],
    [
      'a hook that failed in the first attempt only',
      [beside, { ...passed, file: 'a.test.ts', attempt: 2 }],
      { passed: 1, flaky: [{ name: 'a hook', message: 'no' }] },
    ],
  ])('count %s', (_, outcomes, expected) => {
    const {
      failures: _failures,
      slowest: _slowest,
      ...counts
    } = summaryOf(outcomes as Parameters<typeof summaryOf>[0]);
    expect(counts).toEqual({ passed: 0, failed: 0, skipped: [], flaky: [], ...expected });
  });
});

test('the slowest tests are named once, with their slowest attempt', () => {
  const ran = Array.from({ length: 12 }, (_, index) => ({
    name: `test ${index}`,
    state: 'passed' as const,
    ms: index * 100,
  }));
  const { slowest } = summaryOf([
    ...ran,
    { name: 'test 3', state: 'passed', ms: 5000 },
    { name: 'quick', state: 'passed' },
  ]);
  expect(slowest).toEqual(
    [{ name: 'test 3', ms: 5000 }, ...ran.slice(4).reverse(), { name: 'test 2', ms: 200 }].map(({ name, ms }) => ({
      name,
      ms,
    })),
  );
});

/**
 * A suite of its own that `npm test` could have as a step.
 * @param secondsBefore  processor time of a program that ends before the steps, as an installation of packages does
 */
function writeSuite(folder: TempFolder, tests: string, secondsBefore = 0): string {
  const suite = path.basename(folder.path);
  writeFileSync(folder.at('one.test.mjs'), tests);
  writeFileSync(
    folder.at('vitest.config.mjs'),
    `export default { test: { globals: true, include: ['*.test.mjs'], maxWorkers: 1 } };`,
  );
  writeFileSync(
    folder.at('suite.mjs'),
    `import { writeFileSync } from 'node:fs';
     import { runVitest } from '${root}/scripts/test/runVitest.mjs';
     writeFileSync('${folder.at('pid')}', String(process.pid));
     process.exit(await runVitest('${suite}', ['--root', '${folder.path}', '--reporter=default'], { attempts: 2 }));`,
  );
  writeFileSync(
    folder.at('all.mjs'),
    `import { spawnSync } from 'node:child_process';
     import { runGroups } from '${root}/scripts/test/runGroups.mjs';
     spawnSync(process.execPath, ['-e', 'for (let used = 0; used < ${secondsBefore * 1e6}; ) { const { user, system } = process.cpuUsage(); used = user + system; }']);
     const gate = { name: 'gate', script: '${folder.at('gate.mjs')}' };
     const tests = { name: 'tests', script: '${folder.at('suite.mjs')}', suite: '${suite}' };
     process.exitCode = await runGroups([[gate], [tests]]);`,
  );
  writeFileSync(folder.at('gate.mjs'), '');
  return suite;
}

/** Runs `all.mjs`. */
async function runAll(folder: TempFolder): Promise<{ code: number | null; lines: string[] }> {
  const child = spawn(process.execPath, [folder.at('all.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  // A failed test leaves no suite that never ends.
  onTestFinished(() => void child.kill());
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  return { code, lines: text.trimEnd().split('\n') };
}

describe('npm test', () => {
  test('reports what passed and what failed in a suite that is killed', async () => {
    using folder = tempFolder();
    const suite = writeSuite(
      folder,
      `test('one', () => {}); test('two', () => { throw new Error('wrong'); }); test('never ends', () => new Promise(() => {}), 0);`,
    );
    const ended = runAll(folder);
    const reported = () =>
      existsSync(outcomesFile(suite)) ? readFileSync(outcomesFile(suite), 'utf8').trim().split('\n').length : 0;
    await expect.poll(reported, PATIENT).toBe(2);
    process.kill(Number(readFileSync(folder.at('pid'), 'utf8')), 'SIGKILL');
    const { code, lines } = await ended;
    expect(code).toBe(1);
    expect(lines.at(-1)).toBe('1 passed, 2 failed');
    expect(lines.join('\n')).toMatch(/^tests +FAILED .* 1 passed, 2 failed {2}stopped by SIGKILL after 2 tests$/m);
    expect(lines.join('\n')).toMatch(/^failed: .*one\.test\.mjs: two$/m);
    startOutcomes(outcomesFile(suite));
  });

  test('names a test that passes in another attempt, for which its file runs again in new processes', async () => {
    using folder = tempFolder();
    const suite = writeSuite(
      folder,
      `import { existsSync, readFileSync, writeFileSync } from 'node:fs';
       const marker = '${folder.at('marker')}';
       const vitest = String(process.ppid);
       test('one', () => {});
       test('two', () => {
         if (existsSync(marker)) return expect(vitest).not.toBe(readFileSync(marker, 'utf8'));
         writeFileSync(marker, vitest);
         throw new Error('the window was held up');
       });`,
      0.8,
    );
    const { code, lines } = await runAll(folder);
    expect(code).toBe(0);
    expect(lines.at(-1)).toBe('2 passed, 0 failed');
    expect(lines.join('\n')).toMatch(
      /^lanes: \d+ s, \d+ s, \d+ s\nprocessor time: \d+ s, \d+ % of all cores\nslowest tests:\n +\d+\.\d s {2}.*one\.test\.mjs: /m,
    );
    // In whole seconds: of the gate alone, an empty program, and not of the program before it.
    expect(Number(/^gate .*\(CPU (\d+) s\)/m.exec(lines.join('\n'))?.[1] ?? 0)).toBe(0);
    expect(lines.filter((line) => line.startsWith('flaky: '))).toEqual([expect.stringMatching(/one\.test\.mjs: two$/)]);
    startOutcomes(outcomesFile(suite));
  });

  test('runs a step in the background beside two others, with a lower priority', async () => {
    using folder = tempFolder();
    const steps = ['window', 'other window', 'fast'].map((name) => ({
      name,
      script: folder.at(`${name}.mjs`),
      inBackground: name === 'fast',
    }));
    for (const { script } of steps.slice(0, 2)) {
      writeFileSync(
        script,
        `import { existsSync } from 'node:fs';
         setInterval(() => existsSync('${folder.at('priority')}') && process.exit(), 10);`,
      );
    }
    writeFileSync(
      folder.at('fast.mjs'),
      `import { writeFileSync } from 'node:fs';
       import { getPriority } from 'node:os';
       writeFileSync('${folder.at('priority')}', String(getPriority()));`,
    );
    writeFileSync(
      folder.at('all.mjs'),
      `import { runGroups } from '${root}/scripts/test/runGroups.mjs';
       process.exitCode = await runGroups([${JSON.stringify(steps)}]);`,
    );
    expect(await runAll(folder)).toMatchObject({ code: 0 });
    expect(Number(readFileSync(folder.at('priority'), 'utf8'))).toBeGreaterThan(getPriority());
  });
});
