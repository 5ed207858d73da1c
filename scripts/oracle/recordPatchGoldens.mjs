// Records the reference's results for generated patches, so that `npm test` can compare with them without 290 MB.
//   node scripts/oracle/recordPatchGoldens.mjs
// A new recording is reviewed like code: the commit names the behaviour of the reference that has changed.
import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { CODEX_VERSION, fetchCodex } from './fetchCodex.mjs';
import { inParallel } from './inParallel.mjs';
import { loadTypeScript } from './loadTypeScript.mjs';
import { runReference } from './runReference.mjs';

const CASES = 2000;
const FIRST_SEED = 1;
const FILE = new URL('../../test/fixtures/patch-goldens/goldens.jsonl.gz', import.meta.url);

const bin = fetchCodex();
const { generateCase, inReferenceWords, referenceOutcome } = await loadTypeScript(
  'test/support/patchCases.ts',
  'test/support/patchOutcome.ts',
);
const goldens = await inParallel(CASES, async (index) => {
  const { files, patch } = generateCase(FIRST_SEED + index);
  const run = await runReference(bin, files, inReferenceWords(patch));
  return { files, patch, expected: referenceOutcome(run) };
});
const header = { reference: `codex ${CODEX_VERSION}`, cases: CASES, firstSeed: FIRST_SEED };
const lines = [header, ...goldens].map((line) => JSON.stringify(line));
const packed = gzipSync(`${lines.join('\n')}\n`, { level: 9 });
await writeFile(FILE, packed);
console.log(`recorded ${CASES} cases of codex ${CODEX_VERSION}, ${packed.length} bytes`);
