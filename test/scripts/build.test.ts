/** Modules and calls that the bundles of the extension must not have, or not evaluate at first, in the extension host. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';
import { buildExtension } from '../../scripts/build.mjs';
import { folderOfRun } from '../support/tempFolder.ts';

const COMPOSE = 'src/extension/compose.ts';

const outdir = folderOfRun();
const bundle = (name: string) => readFileSync(path.join(outdir, name), 'utf8');

let modules: Metafile['inputs'];
beforeAll(async () => {
  modules = (await buildExtension({ outdir })).metafile?.inputs ?? {};
});

it.each(['extension.js', 'compose.js'])('%s takes the API of VS Code once, not for each of its files', (name) => {
  expect(bundle(name).split('require("vscode")')).toHaveLength(2);
});

it('compose.js does not read the global `navigator`, for which VS Code logs an error', () => {
  expect(bundle('compose.js')).not.toMatch(/\bnavigator\b/);
});

/** The parts that compose.ts imports, and what they import in turn, other than by `import()`. */
function evaluatedByFirstUse(): readonly string[] {
  const reached = new Set([COMPOSE]);
  for (const module of reached) {
    for (const { path: imported, kind, external } of modules[module]?.imports ?? []) {
      if (external !== true && (kind !== 'dynamic-import' || module === COMPOSE)) reached.add(imported);
    }
  }
  return [...reached];
}

it('the first use evaluates no session, and no library that only some threads or files need', () => {
  const later = [
    /^src\/core\/session\/session\.ts$/,
    /^src\/core\/session\/turn\.ts$/,
    /^src\/core\/skills\/skillFile\.ts$/,
    /^src\/core\/agentFiles\/agentFile\.ts$/,
    /^src\/node\/demoModel\//,
    /^node_modules\/yaml\//,
    /^node_modules\/htmlparser2\//,
  ];
  expect(later.filter((place) => !Object.keys(modules).some((module) => place.test(module)))).toEqual([]);
  expect(evaluatedByFirstUse().filter((module) => later.some((place) => place.test(module)))).toEqual([]);
});
