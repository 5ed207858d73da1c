// Builds everything the product is made of into dist/. Plain Node, esbuild only.
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, root } from './bootstrap.mjs';

const isScript = process.argv[1] === fileURLToPath(import.meta.url);
// `npm run build` is what people do first on a clone.
if (isScript) ensureInstalled();
const esbuild = await import('esbuild');
const { buildWebview } = await import('./buildWebview.mjs');
const { thirdPartyNotices } = await import('./thirdPartyNotices.mjs');

const dist = path.join(root, 'dist');
const { version } = createRequire(import.meta.url)(path.join(root, 'package.json'));

/** Modules loaded on first use; each becomes a file of its own beside the bundle that asks for it. */
const LAZY = ['openaiSdk', 'compose'];

/** esbuild does not split CommonJS: an import of a lazy module is left to `require` at run time. */
const lazyModules = {
  name: 'lazy-modules',
  setup(build) {
    build.onResolve({ filter: new RegExp(`/(${LAZY.join('|')})\\.ts$`) }, (args) =>
      args.kind === 'dynamic-import' ? { path: `./${path.basename(args.path, '.ts')}.js`, external: true } : undefined,
    );
  },
};

/** Programs of their own that both front doors start. */
const PROGRAMS = { afterKill: 'src/node/afterKill.ts', baselineWorker: 'src/node/baseline/worker.ts' };

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  // jsonc-parser's CommonJS build requires files that a bundle does not have.
  mainFields: ['module', 'main'],
  target: 'node20',
  format: 'cjs',
  minify: true,
  keepNames: false,
  // Licences stand in a file of their own: thirdPartyNotices.mjs.
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  define: { TILLER_VERSION: JSON.stringify(version) },
  plugins: [lazyModules],
  // Holds a binary; found beside the bundle, or there are no terminals.
  external: ['@lydell/node-pty'],
};

/**
 * Where scripts/test.mjs has built the product for all suites of one run: none of them builds it again, and a build in the
 * meantime changes nothing under them.
 */
export const builtForTests = process.env.TILLER_BUILT;

/** The whole product. `sourcemap` as esbuild takes it: `linked` for developers, `external` for a release. */
export async function build({ outdir = dist, sourcemap = false } = {}) {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const [terminals, cli, extension, webview] = await Promise.all([
    copyTerminals(outdir),
    buildCli({ outdir, sourcemap }),
    buildExtension({ outdir, sourcemap }),
    buildWebview({ outdir: path.join(outdir, 'webview'), sourcemap }),
    writeSchema(outdir),
  ]);
  const metafiles = [cli, extension, webview].map(({ metafile }) => metafile);
  await writeFile(path.join(outdir, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(metafiles, terminals));
}

/** The package for terminals, of this system, beside the bundles; without it everything else works. Resolves with its folders. */
async function copyTerminals(outdir) {
  const names = await readdir(path.join(root, 'node_modules/@lydell')).catch(() => []);
  const copied = names.filter((one) => one.startsWith('node-pty')).map((name) => `node_modules/@lydell/${name}`);
  for (const folder of copied) await cp(path.join(root, folder), path.join(outdir, folder), { recursive: true });
  return copied;
}

/** The extension alone: a small shell, and the rest that it loads on first use. */
export async function buildExtension({ outdir, sourcemap = false }) {
  return esbuild.build({
    ...common,
    sourcemap,
    entryPoints: { extension: 'src/extension.ts', compose: 'src/extension/compose.ts', ...PROGRAMS },
    external: [...common.external, 'vscode'],
    outdir,
  });
}

/** The second front door alone, with the modules it loads on first use. */
export async function buildCli({ outdir, sourcemap = false }) {
  return esbuild.build({
    ...common,
    sourcemap,
    entryPoints: { cli: 'src/cli.ts', openaiSdk: 'src/core/model/openaiSdk.ts', ...PROGRAMS },
    outdir,
  });
}

/** The wire of docs/cli.md as JSON Schema, made from the very schemas that parse it. */
async function writeSchema(outdir) {
  const outfile = path.join(outdir, '.schema.cjs');
  await esbuild.build({ ...common, plugins: [], entryPoints: ['scripts/protocolSchema.ts'], outfile });
  const { protocolSchema } = createRequire(import.meta.url)(outfile);
  await writeFile(path.join(outdir, 'protocol.schema.json'), `${JSON.stringify(protocolSchema(), null, 2)}\n`);
  await rm(outfile);
}

if (isScript) {
  await build();
  if (builtForTests) await cp(dist, builtForTests, { recursive: true });
}
