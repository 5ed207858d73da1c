/** Every folder of test/fixtures/patch: a tree, a patch, the tree after. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { SampleTree } from '../../support/patchCases.ts';
import { ourOutcome } from '../../support/patchOutcome.ts';

const root = fileURLToPath(new URL('../../fixtures/patch', import.meta.url));
const names = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

it.each(names)('%s', (name) => {
  const folder = join(root, name);
  const files = readTree(join(folder, 'input'));
  const outcome = ourOutcome({ files, patch: readFileSync(join(folder, 'patch.txt'), 'utf8') });
  expect(outcome.type === 'applied' ? outcome.tree : files).toEqual(readTree(join(folder, 'expected')));
});

function readTree(folder: string): SampleTree {
  if (!existsSync(folder)) return {};
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    paths.map((path) => [relative(folder, path).replaceAll(sep, '/'), readFileSync(path, 'utf8')]),
  );
}
