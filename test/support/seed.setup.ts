/** Sets the seed of fast-check for this run before each test file. The seed is printed with a counterexample. */
import path from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';

function report(details: fc.RunDetails<unknown>): void {
  if (!details.failed) return;
  const file = path.relative(process.cwd(), expect.getState().testPath ?? '');
  // vitest.config.mjs recognizes a counterexample by this beginning.
  throw new Error(
    `${fc.defaultReportMessage(details)}\n\nThe same again: TILLER_SEED=${details.seed} npx vitest run ${file}`,
    { cause: details.errorInstance },
  );
}

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['TILLER_SEED']), reporter: report });
