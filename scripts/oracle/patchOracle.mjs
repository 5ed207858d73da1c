// Compares our patch engine with the reference, live, on newly generated cases.
//   node scripts/oracle/patchOracle.mjs [cases=1000] [seed]
// Exit code 0: no difference; 1: a difference; 3: the reference is not available here.
import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { fileURLToPath } from 'node:url';
import { CODEX_VERSION, fetchCodex } from './fetchCodex.mjs';
import { inParallel } from './inParallel.mjs';
import { loadTypeScript } from './loadTypeScript.mjs';
import { runReference } from './runReference.mjs';

/** Runs the comparison. Resolves with the exit code. */
export async function patchOracle(cases, firstSeed) {
  let bin;
  try {
    bin = fetchCodex();
  } catch (error) {
    console.error(`patch oracle: skipped, ${error.message}`);
    return 3;
  }
  console.log(`patch oracle: ${cases} cases against codex ${CODEX_VERSION}, first seed ${firstSeed}`);
  const { generateCase, inReferenceWords, intendedDifference, ourOutcome, referenceOutcome, comparable } =
    await loadTypeScript(
      'test/support/patchCases.ts',
      'test/support/patchDifferences.ts',
      'test/support/patchOutcome.ts',
    );
  const kinds = new Map();
  const intended = new Map();
  const differences = await inParallel(cases, async (index) => {
    const seed = firstSeed + index;
    const sample = generateCase(seed);
    const run = await runReference(bin, sample.files, inReferenceWords(sample.patch));
    const reference = referenceOutcome(run);
    const kind = reference.category ?? 'applied';
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const ours = ourOutcome(sample);
    const expected = comparable(reference, sample.patch);
    const actual = comparable(ours, sample.patch);
    if (isDeepStrictEqual(actual, expected)) return undefined;
    const letter = intendedDifference(sample, reference, ours);
    if (letter === undefined) return { seed, sample, expected, actual, stderr: run.stderr };
    intended.set(letter, (intended.get(letter) ?? 0) + 1);
    return undefined;
  });
  const found = differences.filter((difference) => difference !== undefined);
  for (const difference of found.slice(0, 5)) console.dir(difference, { depth: null });
  console.log(counted(kinds));
  console.log(`intended differences (design.md decision 4): ${counted(intended) || 'none'}`);
  console.log(
    `patch oracle: ${found.length} other differences in ${cases} cases (seeds ${firstSeed}-${firstSeed + cases - 1})`,
  );
  return found.length === 0 ? 0 : 1;
}

function counted(counts) {
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [cases = '1000', seed = String(randomInt(2 ** 31))] = process.argv.slice(2);
  process.exitCode = await patchOracle(Number(cases), Number(seed));
}
