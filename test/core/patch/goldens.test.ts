/** What the reference did with 2,000 generated patches; recorded by scripts/oracle/recordPatchGoldens.mjs. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { PatchCase } from '../../support/patchCases.ts';
import { comparable, ourOutcome, type PatchOutcome } from '../../support/patchOutcome.ts';

type Golden = PatchCase & { readonly expected: PatchOutcome };

const file = new URL('../../fixtures/patch-goldens/goldens.jsonl.gz', import.meta.url);
const [header = '', ...lines] = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
const { reference, cases } = JSON.parse(header) as { reference: string; cases: number };

it(`does with ${cases} patches what ${reference} did`, () => {
  expect(lines).toHaveLength(cases);
  for (const line of lines) {
    const golden = JSON.parse(line) as Golden;
    const { patch, expected } = golden;
    expect({ patch, outcome: comparable(ourOutcome(golden), patch) }).toEqual({
      patch,
      outcome: comparable(expected, patch),
    });
  }
});
