/** Processing of the figures by `npm run bench`; the figures themselves are not tested. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { disturbanceIn, sharesBetween, treeTime } from '../bench/disturbance.mjs';
import { plot } from '../bench/plot.mjs';
import { hasReaper } from '../bench/reaper.mjs';
import { plotsOf, tableOf, withTable } from '../bench/report.mjs';
import { ROWS } from '../bench/rows.mjs';
import { threadText } from '../bench/threadText.mjs';
import { replay } from '../../src/core/rollout/replay.ts';

/** A program that works for 0.2 s. It asks for its time seldom: the system would take five times as long to answer. */
const WORK = 'while (process.cpuUsage().user < 200_000) for (let n = 0; n < 1e6; n++);';

test('a run is refused for what other programs and the hypervisor took, and only then', () => {
  expect(disturbanceIn(undefined)).toBeUndefined();
  expect(disturbanceIn({ foreign: 0.05, stolen: 0.01 })).toBeUndefined();
  expect(disturbanceIn({ foreign: 0.4, stolen: 0 })).toBe('other programs used 40 % of the processors');
  expect(disturbanceIn({ foreign: 0, stolen: 0.1 })).toBe('the hypervisor took 10 % of the processors');
});

test('the work of the run itself, and of its children, is not that of other programs', () => {
  const before = { at: 0, busy: 5_000, stolen: 10, own: 1_000 };
  const after = { at: 1_000, busy: 6_900, stolen: 110, own: 2_700 };
  expect(sharesBetween(before, after, 2)).toEqual({ foreign: 0.1, stolen: 0.05 });
  // A clock tick or two are no measurement.
  expect(sharesBetween(before, { ...before, at: 20, busy: 5_040, stolen: 20 }, 2)).toEqual({ foreign: 0, stolen: 0 });
  const used = treeTime('self');
  spawnSync(process.execPath, ['-e', WORK]);
  expect(treeTime('self') - used).toBeGreaterThanOrEqual(150);
});

test('the work of a program that a run has started counts while it still runs', async () => {
  const work = `${WORK} console.log('done'); setInterval(() => {}, 1000);`;
  const before = treeTime('self');
  const child = spawn(process.execPath, ['-e', work]);
  await once(child.stdout, 'data');
  const used = treeTime('self') - before;
  child.kill();
  expect(used).toBeGreaterThanOrEqual(150);
  expect(treeTime('no such process')).toBe(0);
});

// As in a sandbox: bubblewrap ends before the first process inside.
test.runIf(hasReaper())('the work of a process counts whose parent has ended before it', () => {
  const orphan = `node -e '${WORK}' & exit`;
  const program = `
    import { spawnSync } from 'node:child_process';
    import { treeTime } from './test/bench/disturbance.mjs';
    import { rootOfWork, runBelowReaper } from './test/bench/reaper.mjs';
    await runBelowReaper();
    const before = treeTime(rootOfWork());
    spawnSync('sh', ['-c', ${JSON.stringify(orphan)}]);
    console.log(treeTime(rootOfWork()) - before);
    process.exitCode = 7;`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(Number(stdout)).toBeGreaterThanOrEqual(150);
  expect(status).toBe(7);
});

test('the folders of a run are removed when it ends, however it ends', () => {
  const program = (end: string) =>
    `import { newScratch } from './test/bench/scratch.mjs'; console.log(newScratch()); console.log(newScratch()); ${end}`;
  for (const end of ['', 'process.exit(3)', "process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 20_000)"]) {
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program(end)], { encoding: 'utf8' });
    const folders = stdout.trim().split('\n');
    expect(folders).toHaveLength(2);
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
  }
});

test('the table replaces the one on the page and nothing else', () => {
  const row = { title: 'a row', values: { tiller: 5, codex: 10 }, budget: '≤ 0.6 × Codex', verdict: 'within' };
  const table = tableOf([row], 'A machine');
  expect(table.split('\n').at(-1)).toBe('| a row | 5 | 10 | – | 0.50 × | – | ≤ 0.6 × Codex | within |');
  const page = readFileSync('docs/benchmarks.md', 'utf8');
  const once = withTable(page, table);
  expect(once).toContain(table);
  expect(withTable(once, 'B')).toBe(withTable(page, 'B'));
  expect(() => withTable('no place', table)).toThrow('no place');
});

test('a plot has a line for each series and words for both axes, and none without points', () => {
  const series = [
    { name: 'tiller', points: [[1, 5] as const, [1000, 10] as const] },
    { name: 'a < b', points: [[1, 7] as const, [1000, 20] as const] },
  ];
  const svg = plot({ title: 'A title', x: 'files', y: 'ms', series, logX: true }) ?? '';
  expect(svg.match(/<polyline/g)).toHaveLength(2);
  for (const words of ['A title (ms)', 'files', 'a &lt; b', '1,000']) expect(svg).toContain(`>${words}<`);
  expect(plot({ title: 'A title', x: 'files', y: 'ms', series: [] })).toBeUndefined();
});

test('a whole run plots turns, history, workspace, patch and thread', () => {
  const long = [
    {
      perTurnMs: Array.from({ length: 40 }, (_, turn) => turn),
      requestBytes: Array.from({ length: 41 }, (_, turn) => turn * 1000),
    },
  ];
  const wall = [{ wallMs: 1, cpuMs: 1 }];
  const sizes = (name: string) => ({ [`${name}10`]: wall, [`${name}100`]: wall });
  const tiller = { long, ...sizes('looks'), ...sizes('files'), ...sizes('thread') };
  expect(Object.keys(plotsOf({ tiller }))).toEqual(['turns', 'history', 'workspace', 'patch', 'thread']);
  expect(plotsOf({ tiller: { files20: wall } })).toEqual({});
});

test('a budget is a part of the figure of a peer', () => {
  const row = ROWS.find(({ name }) => name === 'cold-start');
  expect(row?.limit({ codex: 100 })).toBe(65);
  expect(row?.limit({})).toBeNull();
});

test('the thread that is read is a whole one', () => {
  const read = replay(threadText({ number: 1, turns: 3 }));
  expect(read.type === 'thread' && [read.thread.dropped, read.thread.state.turns.length]).toEqual([0, 3]);
});
