/** Modules and calls that the bundles of the extension must not have in the extension host. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { buildExtension } from '../../scripts/build.mjs';
import { folderOfRun } from '../support/tempFolder.ts';

const outdir = folderOfRun();
const bundle = (name: string) => readFileSync(path.join(outdir, name), 'utf8');

beforeAll(() => buildExtension({ outdir }));

it.each(['extension.js', 'compose.js'])('%s takes the API of VS Code once, not for each of its files', (name) => {
  expect(bundle(name).split('require("vscode")')).toHaveLength(2);
});

it('compose.js does not read the global `navigator`, for which VS Code logs an error', () => {
  expect(bundle('compose.js')).not.toMatch(/\bnavigator\b/);
});
