import { randomOf } from './random.ts';

/**
 * Returns the number of repetitions of a test's action: a few in every run, all in `npm run test:all`, and the number
 * in `TILLER_SOAK` for a long run of one test.
 */
export function rounds(everyRun: number, inFull: number): number {
  const { TILLER_SOAK: soak } = process.env;
  if (soak !== undefined) return Number(soak);
  return isFullRun() ? inFull : everyRun;
}

/** Returns true in `npm run test:all`, and in a long run of one test. */
export function isFullRun(): boolean {
  return process.env['TILLER_TEST_ALL'] === '1' || process.env['TILLER_SOAK'] !== undefined;
}

/**
 * Returns the places below `length` at which a test cuts a text, in order: each `step`th place from a random first one,
 * and always those in `those`. In a full run, returns all places.
 */
export function placesBelow(length: number, step: number, those: readonly number[] = []): readonly number[] {
  const all = Array.from({ length }, (_, place) => place);
  if (isFullRun()) return all;
  const first = randomOf(`places below ${length}`).below(step);
  return all.filter((place) => place % step === first || those.includes(place));
}
