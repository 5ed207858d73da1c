/**
 * The seed of all that is chosen at random in one run of the tests: another one each time, or `TILLER_SEED`. Whatever fails
 * names it, and how to run the same again.
 */
import { randomInt } from 'node:crypto';

export const RUN_SEED = Number(process.env['TILLER_SEED'] ?? randomInt(2 ** 31));

/** `command` runs the test that failed. */
export function replay(seed: number, command: string): string {
  return `The same again: TILLER_SEED=${seed} ${command}`;
}

/** For tests without fast-check: what `test` throws names the seed. Resolves as `test` does. */
export async function withSeed<Result>(command: string, test: (seed: number) => Promise<Result>): Promise<Result> {
  try {
    return await test(RUN_SEED);
  } catch (error) {
    if (error instanceof Error) error.message = `${error.message}\n${replay(RUN_SEED, command)}`;
    throw error;
  }
}
