/** A weather station: readings, statistics, warnings. @type {import('../sample.mjs').Domain} */
export const weather = {
  title: 'rain-gauge',
  about: 'Readings, statistics and warnings of a garden weather station. Temperatures are in degrees Celsius.',
  files: {
    'src/statistics.js': `//@filler
/** The sum of all values. */
export function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The arithmetic mean. */
export function mean(values) {
  return sumOf(values) / values.length;
}
`,
    'src/extremes.js': `//@filler
/** The lowest temperature of a day. */
export function coldest(temperatures) {
  return Math.min(...temperatures);
}

/** A ranking of days, hottest on top. */
export function hottestDays(days) {
  return days.toSorted((earlier, later) => later.celsius - earlier.celsius).map((day) => day.weekday);
}
`,
    'src/warnings.js': `export const FROST_POINT = 3;
export const STORM_GUST = 75;

//@filler
/** Gardeners are warned at the frost point and below it. */
export function frostWarning(celsius) {
  return celsius <= FROST_POINT;
}

/** True when any gust is stronger than a storm gust. */
export function stormWarning(gusts) {
  return gusts.some((gust) => gust > STORM_GUST);
}
`,
    'src/station.js': `import { coldest } from './extremes.js';
import { mean } from './statistics.js';
import { frostWarning } from './warnings.js';

//@filler
/** The most recent rainfall readings; the newest reading is the last one. */
export function recentRain(rainfall, howMany) {
  return rainfall.slice(-howMany);
}

/** One line for the garden gate, from the temperatures the sensor has stored. */
export async function gateReport(readSensor) {
  const temperatures = await readSensor();
  const morning = temperatures.slice(0, 2);
  return { average: mean(temperatures), lowest: coldest(morning), frost: frostWarning(coldest(morning)) };
}
`,
    'test/statistics.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coldest, hottestDays } from '../src/extremes.js';
import { mean, sumOf } from '../src/statistics.js';

test('sums rainfall', () => {
  assert.equal(sumOf([4, 0, 11]), 15);
});

test('averages a week', () => {
  assert.equal(mean([12, 14, 19, 15]), 15);
});

test('finds the coldest hour', () => {
  assert.equal(coldest([4, -2, 7]), -2);
});

test('ranks the hottest day first', () => {
  const days = [
    { weekday: 'Monday', celsius: 21 },
    { weekday: 'Tuesday', celsius: 29 },
    { weekday: 'Wednesday', celsius: 25 },
  ];
  assert.deepEqual(hottestDays(days), ['Tuesday', 'Wednesday', 'Monday']);
});
`,
    'test/warnings.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frostWarning, stormWarning } from '../src/warnings.js';

test('warns of frost at the frost point', () => {
  assert.equal(frostWarning(3), true);
});

test('does not warn on mild days', () => {
  assert.equal(frostWarning(9), false);
});

test('warns of a storm when one gust is too strong', () => {
  assert.equal(stormWarning([20, 81, 33]), true);
  assert.equal(stormWarning([20, 31]), false);
});
`,
    'test/station.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gateReport, recentRain } from '../src/station.js';

test('keeps the last readings of the gauge', () => {
  assert.deepEqual(recentRain([5, 8, 0, 2], 3), [8, 0, 2]);
});

test('sums up the day for the garden gate', async () => {
  const report = await gateReport(async () => [6, 6, 6]);
  assert.deepEqual(report, { average: 6, lowest: 6, frost: false });
});
`,
  },
  bugs: {
    boundary: { path: 'src/warnings.js', right: 'celsius <= FROST_POINT', wrong: 'celsius < FROST_POINT' },
    off_by_one: { path: 'src/station.js', right: 'slice(-howMany)', wrong: 'slice(-howMany + 1)' },
    operator: {
      path: 'src/statistics.js',
      right: 'sumOf(values) / values.length',
      wrong: 'sumOf(values) * values.length',
    },
    missing_await: { path: 'src/station.js', right: 'await readSensor()', wrong: 'readSensor()' },
    sort_order: {
      path: 'src/extremes.js',
      right: 'later.celsius - earlier.celsius',
      wrong: 'earlier.celsius - later.celsius',
    },
    clamp: { path: 'src/extremes.js', right: 'Math.min(...temperatures)', wrong: 'Math.max(...temperatures)' },
  },
  fillers: [
    `/** For visitors from overseas. */
export function toFahrenheit(celsius) {
  return (celsius * 9) / 5 + 32;
}
`,
    `/** The compass names of the wind, one for every 45 degrees. */
export function windName(degrees) {
  const compass = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];
  return compass[Math.round(degrees / 45) % 8];
}
`,
    `/** A sensor that sends nonsense is left out of the day. */
export function isPlausible(celsius) {
  return celsius > -60 && celsius < 60;
}
`,
    `// The gauge is emptied at seven in the morning. What fell before
// belongs to yesterday, whatever the clock in the kitchen says.
`,
  ],
};
