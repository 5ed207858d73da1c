/** The generator of sample workspaces: equal choices give equal bytes; other choices another project. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { generateSample, VARIANTS } from '../support/sample.ts';
import { BUGS, NAMINGS, OFFSETS } from '../../scripts/sample.mjs';

describe('the variants', () => {
  it('are every bug in every naming, and differ in their bytes', () => {
    assert.equal(VARIANTS.length, BUGS.length * NAMINGS.length);
    const projects = VARIANTS.map((choices) => JSON.stringify(generateSample(choices).files));
    assert.equal(new Set(projects).size, VARIANTS.length);
    assert.deepEqual(
      VARIANTS.map((choices) => JSON.stringify(generateSample(choices).files)),
      projects,
    );
  });

  it('hold exactly one seeded bug', () => {
    for (const choices of VARIANTS) {
      const { files, seeded } = generateSample(choices);
      const repaired = generateSample({ ...choices, variant: 'repaired' }).files;
      const different = Object.keys(files).filter((name) => files[name] !== repaired[name]);
      assert.deepEqual(different, [seeded.path]);
      assert.equal(files[seeded.path]?.replace(seeded.wrong, seeded.right), repaired[seeded.path]);
    }
  });

  it('has the bug on other lines at another offset', () => {
    for (const choices of VARIANTS) {
      const lines = new Set<number>();
      for (let offset = 0; offset < OFFSETS; offset += 1) {
        const { files, seeded } = generateSample({ ...choices, offset });
        lines.add((files[seeded.path] ?? '').split(seeded.wrong)[0]?.split('\n').length ?? 0);
      }
      assert.ok(lines.size >= 8, `${choices.naming} ${choices.bug}: ${lines.size} lines`);
    }
  });
});

describe('a seed', () => {
  it('is any whole number, and the first hundred reach every bug and every naming', () => {
    const samples = Array.from({ length: 100 }, (_, seed) => generateSample(seed));
    assert.deepEqual(new Set(samples.map(({ bug }) => bug)), new Set(BUGS));
    assert.deepEqual(new Set(samples.map(({ naming }) => naming)), new Set(NAMINGS));
    assert.throws(() => generateSample(Number.NaN));
  });
});
