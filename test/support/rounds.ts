/**
 * How often a test repeats what it does: a few times in every run, in full in `npm run test:all`, and as often as
 * `TILLER_SOAK` says when that is set, for one test at a time.
 */
export function rounds(everyRun: number, inFull: number): number {
  const { TILLER_SOAK: soak } = process.env;
  if (soak !== undefined) return Number(soak);
  return isFullRun() ? inFull : everyRun;
}

/** Whether this is `npm run test:all`, or a soak of one test. */
export function isFullRun(): boolean {
  return process.env['TILLER_TEST_ALL'] === '1' || process.env['TILLER_SOAK'] !== undefined;
}
