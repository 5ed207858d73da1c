/** The results of the reference for 2,000 generated patches; recorded by scripts/oracle/recordPatchGoldens.mjs. */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { PatchCase } from '../../support/patchCases.ts';
import { intendedDifference } from '../../support/patchDifferences.ts';
import { comparable, ourOutcome, type PatchOutcome } from '../../support/patchOutcome.ts';

type Golden = PatchCase & { readonly expected: PatchOutcome };

const file = new URL('../../fixtures/patch-goldens/goldens.jsonl.gz', import.meta.url);
const [header = '', ...lines] = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
const { reference, cases } = JSON.parse(header) as { reference: string; cases: number };

it(`applies ${cases} patches as ${reference} does, except for the intended differences`, () => {
  expect(lines).toHaveLength(cases);
  const differences = { d: 0, e: 0 };
  for (const line of lines) {
    const golden = JSON.parse(line) as Golden;
    const { patch, expected } = golden;
    const ours = ourOutcome(golden);
    if (!isDeepStrictEqual(comparable(ours, patch), comparable(expected, patch))) {
      const difference = intendedDifference(golden, expected, ours);
      if (difference !== undefined) {
        differences[difference] += 1;
        continue;
      }
    }
    expect({ patch, outcome: comparable(ours, patch) }).toEqual({ patch, outcome: comparable(expected, patch) });
  }
  // A change here is a change of behaviour: find the patch whose result differs before you accept it.
  expect(differences).toEqual({ d: 4, e: 154 });
});
