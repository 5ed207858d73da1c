/** Usage that several processes record in one day. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CapCounters, TurnSpending } from '../../src/core/session/capCounters.ts';
import type { CapSettings } from '../../src/core/session/caps.ts';
import { NO_CAPS } from '../support/noCaps.ts';
import { DaySpending } from '../../src/core/session/daySpending.ts';
import { localDay } from '../../src/core/util/localDay.ts';
import { inTimeZone } from '../support/timeZone.ts';
import { createStorage } from '../../src/node/storage/storage.ts';
import { bundled, runFile } from '../support/runTypeScript.ts';
import { rounds } from '../support/rounds.ts';
import { tempFolder } from '../support/tempFolder.ts';

function counter(home: string, now: () => Date, warnings: string[] = []): DaySpending {
  const clock = { now, monotonic: () => 0, sleep: async () => {}, after: () => () => {} };
  const log = { debug() {}, info() {}, warn: (message: string) => void warnings.push(message), error() {} };
  return new DaySpending({ storage: createStorage(home), clock, host: inTimeZone('Europe/Berlin'), log });
}

test('three processes that count at once lose no count', async () => {
  using folder = tempFolder();
  const count = rounds(40, 300);
  const file = await bundled('spendRounds.ts');
  const runs = await Promise.all(Array.from({ length: 3 }, () => runFile(file, [folder.path, String(count)])));
  expect(runs.map(({ stdout }) => stdout)).toEqual(['', '', '']);
  const { days } = JSON.parse(readFileSync(folder.at('spending.json'), 'utf8'));
  const lastRaise = 200 + (count - 1) - ((count - 1) % 5);
  expect(Object.values(days)).toEqual([
    { tokens: 9 * count, cost: 1.5 * count, estimated: false, raised: { tokens: { cap: 100, to: lastRaise } } },
  ]);
  expect(statSync(folder.at('spending.json')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder.path)).toEqual(['spending.json']);
});

test('a day ends at midnight of the machine, and yesterday is kept for a while', async () => {
  using folder = tempFolder();
  let now = new Date('2026-11-21T22:59:59Z');
  const day = counter(folder.path, () => now);
  const spent = { tokens: 5, cost: 0, estimated: true };
  day.add(spent);
  expect((await day.spent()).day).toMatchObject({ tokens: 5, estimated: true });
  now = new Date('2026-11-21T23:00:00Z');
  expect((await day.spent()).day).toMatchObject({ tokens: 0, estimated: false });
  day.add(spent);
  await day.flush();
  const days = () => Object.keys(JSON.parse(readFileSync(folder.at('spending.json'), 'utf8')).days);
  expect(days()).toEqual(['2026-11-21', '2026-11-22']);
  now = new Date('2026-11-23T12:00:00Z');
  day.add(spent);
  await day.flush();
  expect(days()).toEqual(['2026-11-22', '2026-11-23']);
});

test('counts that could not be saved are saved later, and the reason is reported once', async () => {
  using folder = tempFolder();
  // A home that is a file cannot be written in.
  writeFileSync(folder.at('home'), '');
  const warnings: string[] = [];
  const storage = createStorage(folder.at('home'));
  let isBroken = true;
  const clock = { now: () => new Date(), monotonic: () => 0, sleep: async () => {}, after: () => () => {} };
  const log = { debug() {}, info() {}, warn: (message: string) => void warnings.push(message), error() {} };
  const working = createStorage(folder.at('other'));
  const now = () => (isBroken ? storage : working);
  const ports = {
    clock,
    log,
    host: inTimeZone('nowhere'),
    storage: {
      ...working,
      readText: (file: string) => now().readText(file),
      updateText: (file: string, change: (text: string | undefined) => string) => now().updateText(file, change),
    },
  };
  const day = new DaySpending(ports);
  day.add({ tokens: 1, cost: 1, estimated: false });
  day.add({ tokens: 1, cost: 1, estimated: false });
  expect((await day.spent()).day).toMatchObject({ tokens: 2, cost: 2 });
  expect(day.takeProblem()).toMatch(/^spending\.json in TILLER_HOME cannot be used \(/);
  expect(day.takeProblem()).toBeUndefined();
  expect(warnings).toHaveLength(1);
  isBroken = false;
  day.add({ tokens: 1, cost: 1, estimated: false });
  await day.flush();
  const other = new DaySpending(ports);
  expect((await other.spent()).day).toMatchObject({ tokens: 3, cost: 3 });
  expect(existsSync(folder.at('home/spending.json'))).toBe(false);
});

test('a file of another shape is damaged: counted from zero, and replaced', async () => {
  using folder = tempFolder();
  for (const text of ['', '[]', '{"version":2,"days":{}}', '{"version":1,"days":{"2026-11-21":{"tokens":-1}}}']) {
    writeFileSync(folder.at('spending.json'), text);
    const day = counter(folder.path, () => new Date('2026-11-21T12:00:00Z'));
    expect((await day.spent()).day).toMatchObject({ tokens: 0 });
    expect(day.takeProblem()).toBe(
      'spending.json in TILLER_HOME was damaged: what was used today and this month is counted from zero.',
    );
    day.add({ tokens: 4, cost: 0, estimated: false });
    const again = counter(folder.path, () => new Date('2026-11-21T12:00:00Z'));
    await day.flush();
    expect((await again.spent()).day).toMatchObject({ tokens: 4 });
    expect(again.takeProblem()).toBeUndefined();
  }
});

test('the day is that of the time zone, UTC where it is not known', () => {
  const at = new Date('2026-03-01T23:30:00Z');
  expect(['Europe/Berlin', 'America/New_York', 'UTC', 'nowhere'].map((zone) => localDay(at, zone))).toEqual([
    '2026-03-02',
    '2026-03-01',
    '2026-03-01',
    '2026-03-01',
  ]);
});

test('counts are gathered for a second and saved at once; a raised cap, a question and the end do not wait', async () => {
  using folder = tempFolder();
  const due: (() => void)[] = [];
  let saves = 0;
  const storage = createStorage(folder.path);
  const day = new DaySpending({
    host: inTimeZone('UTC'),
    log: { debug() {}, info() {}, warn() {}, error() {} },
    clock: {
      ...{ now: () => new Date(), monotonic: () => 0, sleep: async () => {} },
      after: (_milliseconds, callback) => {
        due.push(callback);
        return () => void due.splice(due.indexOf(callback), 1);
      },
    },
    storage: { ...storage, updateText: (...given) => (saves++, storage.updateText(...given)) },
  });
  const spent = { tokens: 1, cost: 0, estimated: false };
  for (let round = 0; round < 50; round++) day.add(spent);
  expect([saves, due.length]).toEqual([0, 1]);
  due[0]?.();
  await expect.poll(() => existsSync(folder.at('spending.json')), { timeout: 20_000 }).toBe(true);
  expect([saves, due.length]).toEqual([1, 0]);
  day.raise('day', { unit: 'tokens', cap: 60, next: 120 });
  day.add(spent);
  await day.flush();
  expect(due).toEqual([]);
  day.add(spent);
  expect((await day.spent()).day).toMatchObject({ tokens: 52, raised: { tokens: { cap: 60, to: 120 } } });
  expect(due).toEqual([]);
});

test.each(['day', 'month'] as const)(
  'a cap of a %s counts at once, in this process and, when it is compared, in others: no save is due yet',
  async (span) => {
    using folder = tempFolder();
    const caps: CapSettings = { ...NO_CAPS, [span]: { tokens: 100, cost: null } };
    // Their saves never become due.
    const processes = [0, 1].map(() => {
      const day = counter(folder.path, () => new Date('2026-11-21T12:00:00Z'));
      return new CapCounters(caps, new TurnSpending(), day);
    });
    const reached = () => Promise.all(processes.map((each) => each.reached(new AbortController().signal)));
    processes[0]?.add({ tokens: 99, cost: 0, estimated: false });
    expect(await reached()).toEqual([undefined, undefined]);
    processes[0]?.add({ tokens: 1, cost: 0, estimated: false });
    const [own] = await reached();
    expect(own).toMatchObject({ span, unit: 'tokens', used: 100, cap: 100 });
    expect(await reached()).toEqual([own, own]);
  },
);
