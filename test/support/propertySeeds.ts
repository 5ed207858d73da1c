/** Set-up of vitest: gives every property the seed of the run, and says with a counterexample how to find it again. */
import path from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { replay, RUN_SEED } from './runSeed.ts';

function report(details: fc.RunDetails<unknown>): void {
  if (!details.failed) return;
  const file = path.relative(process.cwd(), expect.getState().testPath ?? '');
  // The beginning is what vitest.config.mjs knows a counterexample by.
  throw new Error(`${fc.defaultReportMessage(details)}\n\n${replay(details.seed, `npx vitest run ${file}`)}`, {
    cause: details.errorInstance,
  });
}

fc.configureGlobal({ seed: RUN_SEED, reporter: report });
