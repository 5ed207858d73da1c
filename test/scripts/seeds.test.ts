/** Random choices differ in each run, and can be repeated by their seed. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';

const RUN_SEED = Number(process.env['TILLER_SEED']);
const folder = path.join(import.meta.dirname, '..');

it('the seed is printed with a counterexample, in the command that repeats it', () => {
  const again = `The same again: TILLER_SEED=${RUN_SEED} npx vitest run test/scripts/seeds.test.ts`;
  const fails = () => fc.assert(fc.property(fc.nat(), () => false));
  expect(fails).toThrow(/^Property failed/);
  expect(fails).toThrow(`{ seed: ${RUN_SEED}, path: "0:0", endOnFailure: true }`);
  expect(fails).toThrow(again);
});

it('no test fixes the seed', () => {
  const FIXED = /\bseededRandom\(\s*\d|\bseed:\s*(?:\d|process\b)/;
  const fixing = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    // The samples of the e2e tests are fixtures.
    .filter((file) => file.endsWith('.ts') && !file.startsWith('e2e') && !file.endsWith('seeds.test.ts'))
    .filter((file) => FIXED.test(readFileSync(path.join(folder, file), 'utf8')));
  expect(fixing).toEqual([]);
});
