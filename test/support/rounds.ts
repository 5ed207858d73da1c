import { randomOf } from './random.ts';

/**
 * The number of repetitions of a test's action: a few in every run, all in `npm run test:all`, and as many as
 * `TILLER_SOAK` sets, for one test at a time.
 */
export function rounds(everyRun: number, inFull: number): number {
  const { TILLER_SOAK: soak } = process.env;
  if (soak !== undefined) return Number(soak);
  return isFullRun() ? inFull : everyRun;
}

/** Returns true in `npm run test:all`, and in a soak of one test. */
export function isFullRun(): boolean {
  return process.env['TILLER_TEST_ALL'] === '1' || process.env['TILLER_SOAK'] !== undefined;
}

/**
 * Places below `length` at which a test cuts something: each `step`th from one that the seed chooses, and always `those` given;
 * all of them in a full run. In order.
 */
export function placesBelow(length: number, step: number, those: readonly number[] = []): readonly number[] {
  const all = Array.from({ length }, (_, place) => place);
  if (isFullRun()) return all;
  const first = randomOf(`places below ${length}`).below(step);
  return all.filter((place) => place % step === first || those.includes(place));
}
