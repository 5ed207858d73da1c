/** The modules that the first use of the extension evaluates: it takes the thread of all extensions (docs/benchmarks.md). */
import { build, type Metafile } from 'esbuild';
import { expect, it } from 'vitest';
import { root } from '../../scripts/bootstrap.mjs';

const COMPOSE = 'src/extension/compose.ts';

async function modulesOfCompose(): Promise<Metafile['inputs']> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [COMPOSE],
    bundle: true,
    platform: 'node',
    mainFields: ['module', 'main'],
    external: ['vscode', '@lydell/node-pty'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  return metafile.inputs;
}

/** The parts that compose.ts imports, and what they import in turn, other than by `import()`. */
function evaluated(modules: Metafile['inputs']): ReadonlySet<string> {
  const reached = new Set([COMPOSE]);
  for (const module of reached) {
    for (const { path, kind, external } of modules[module]?.imports ?? []) {
      if (external !== true && (kind !== 'dynamic-import' || module === COMPOSE)) reached.add(path);
    }
  }
  return reached;
}

it('the first use evaluates no session, and no library that only some threads or files need', async () => {
  const modules = await modulesOfCompose();
  const known = Object.keys(modules);
  const later = [
    /^src\/core\/session\/session\.ts$/,
    /^src\/core\/session\/turn\.ts$/,
    /^src\/core\/(?:skills\/skillFile|agentFiles\/agentFile)\.ts$/,
    /^src\/node\/demoModel\//,
    /^node_modules\/(?:yaml|htmlparser2|fast-png|jpeg-js|openai|@modelcontextprotocol)\//,
  ];
  expect(later.filter((place) => !known.some((module) => place.test(module)))).toEqual([]);
  expect([...evaluated(modules)].filter((module) => later.some((place) => place.test(module)))).toEqual([]);
});
