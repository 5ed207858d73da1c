// Builds the product into dist/. Plain Node, esbuild only.
import { readFileSync } from 'node:fs';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, root } from './bootstrap.mjs';

const isScript = process.argv[1] === fileURLToPath(import.meta.url);
// `npm run build` may be the first command on a clone.
if (isScript) ensureInstalled();
const esbuild = await import('esbuild');
const { buildWebview } = await import('./buildWebview.mjs');
const { thirdPartyNotices } = await import('./thirdPartyNotices.mjs');

const dist = path.join(root, 'dist');
const { version } = createRequire(import.meta.url)(path.join(root, 'package.json'));

/** The modules that are loaded on first use. Each becomes a separate file beside the bundle that imports it. */
const LAZY = ['openaiSdk', 'mcpSdk', 'compose', 'commandLine'];

const pathsOf = (names) => new RegExp(`/(${names.join('|')})\\.ts$`);
const bundleOf = (module) => `./${path.basename(module, '.ts')}.js`;

/** A plugin that leaves imports of lazy modules to `require` at run time, because esbuild does not split CommonJS. */
export const leftToRunTime = (...names) => ({
  name: 'lazy-modules',
  setup(build) {
    build.onResolve({ filter: pathsOf(names) }, (args) =>
      args.kind === 'dynamic-import' ? { path: bundleOf(args.path), external: true } : undefined,
    );
  },
});

/**
 * Like `leftToRunTime`, but the modules are loaded with V8's code cache. `load`: the function of codeCache.ts that
 * loads a module.
 */
const cachedAtRunTime = (load, ...names) => ({
  name: 'lazy-cached-modules',
  setup(build) {
    const cached = path.join(root, 'src/node/codeCache.ts');
    build.onResolve({ filter: pathsOf(names) }, (args) =>
      args.kind === 'dynamic-import' ? { path: bundleOf(args.path), namespace: 'cached' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'cached' }, (args) => ({
      contents: `const { ${load} } = require(${JSON.stringify(cached)});
        module.exports = ${load}(require('node:path').join(__dirname, ${JSON.stringify(args.path)}));`,
      resolveDir: root,
    }));
  },
});

/** Returns the names of the values of VS Code's API, as its types declare them. */
function vscodeNames() {
  const types = readFileSync(path.join(root, 'node_modules/@types/vscode/index.d.ts'), 'utf8');
  const declared = types.matchAll(/^\t(?:export )?(?:abstract )?(?:namespace|class|enum|const|function) (\w+)/gm);
  return [...new Set(Array.from(declared, ([, name]) => name))];
}

/**
 * A plugin that imports VS Code's API once for the whole bundle. Otherwise esbuild copies the about 450 getters of the
 * API for each file that imports it: for 166 files this takes 40 ms at the first use, one copy takes 3 ms.
 */
const oneVscodeApi = {
  name: 'one-vscode-api',
  setup(build) {
    build.onResolve({ filter: /^vscode$/ }, ({ namespace }) =>
      namespace === 'vscode-api' ? { path: 'vscode', external: true } : { path: 'vscode', namespace: 'vscode-api' },
    );
    build.onLoad({ filter: /.*/, namespace: 'vscode-api' }, () => ({
      contents: `export const { ${vscodeNames().join(', ')} } = require('vscode');`,
    }));
  },
};

/**
 * A plugin for the modules of the SDK that use the global `Headers` in each request: they get the class of
 * headerList.ts instead (docs/decisions/0070).
 */
const sdkHeaders = {
  name: 'sdk-headers',
  setup(build) {
    const headerList = JSON.stringify(path.join(root, 'src/core/util/headerList.ts'));
    build.onLoad({ filter: /node_modules\/openai\/internal\/(headers|utils\/log)\.mjs$/ }, (args) => ({
      contents: `import { HeaderList as Headers } from ${headerList};\n${readFileSync(args.path, 'utf8')}`,
    }));
  },
};

/** Separate programs that the extension and the command line start. */
const PROGRAMS = {
  afterKill: 'src/node/afterKill.ts',
  starter: 'src/node/starterProgram.ts',
  baselineWorker: 'src/node/baseline/worker.ts',
  imageWorker: 'src/node/images/worker.ts',
};

/**
 * Packages that are not bundled: this one contains a binary. It is loaded from the folder of the bundle, and is
 * optional, because terminals are.
 */
const EXTERNAL = ['@lydell/node-pty'];

/**
 * Returns the options that all bundles share.
 * @param {boolean | 'linked' | 'external'} sourcemap  with `linked`, code is not cached: a debugger does not find its
 * breakpoints in cached code
 */
const common = (sourcemap, load = 'requireCached') => ({
  sourcemap,
  plugins: [sourcemap === 'linked' ? leftToRunTime(...LAZY) : cachedAtRunTime(load, ...LAZY), sdkHeaders],
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  // jsonc-parser's CommonJS build requires files that are not in a bundle.
  mainFields: ['module', 'main'],
  target: 'node20',
  format: 'cjs',
  // `import()` becomes `require`: a real `import()` of a CommonJS file would first load the loader of ES modules, which
  // takes about 45 ms.
  supported: { 'dynamic-import': false },
  minify: true,
  keepNames: false,
  // The licences are in a separate file: thirdPartyNotices.mjs.
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  define: {
    TILLER_VERSION: JSON.stringify(version),
    // zod and openai read `navigator` to recognize other runtimes. VS Code logs an error with a stack when an extension
    // reads it.
    navigator: 'undefined',
    'globalThis.navigator': 'undefined',
  },
  external: EXTERNAL,
});

/**
 * The folder into which scripts/test.mjs has built the product for all suites of one run. The suites do not build it
 * again, so a build during the run does not affect them.
 */
export const builtForTests = process.env.TILLER_BUILT;

/** Builds the whole product. `sourcemap` is esbuild's option: `linked` for developers, `external` for a release. */
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

/**
 * Copies the package for terminals of this platform beside the bundles, if it is installed: it is optional. Resolves
 * with its folders.
 */
async function copyTerminals(outdir) {
  const names = await readdir(path.join(root, 'node_modules/@lydell')).catch(() => []);
  const copied = names.filter((one) => one.startsWith('node-pty')).map((name) => `node_modules/@lydell/${name}`);
  for (const folder of copied) await cp(path.join(root, folder), path.join(outdir, folder), { recursive: true });
  return copied;
}

/** Builds only the extension: a small entry file, and the modules that it loads on first use. */
export async function buildExtension({ outdir, sourcemap = false }) {
  // In the extension host the modules are loaded in slices, because the host serves other extensions, too. The command
  // line is alone in its process, where loading without pauses is faster.
  const shared = common(sourcemap, 'cachedModule');
  return esbuild.build({
    ...shared,
    plugins: [...shared.plugins, oneVscodeApi],
    entryPoints: { extension: 'src/extension.ts', compose: 'src/extension/compose.ts', ...PROGRAMS },
    outdir,
  });
}

/** Builds only the command line, with the modules that it loads on first use. */
export async function buildCli({ outdir, sourcemap = false }) {
  return esbuild.build({
    ...common(sourcemap),
    entryPoints: {
      cli: 'src/cli.ts',
      commandLine: 'src/cli/commandLine.ts',
      openaiSdk: 'src/core/model/openaiSdk.ts',
      mcpSdk: 'src/node/mcp/mcpSdk.ts',
      ...PROGRAMS,
    },
    outdir,
  });
}

/**
 * Writes the JSON Schemas of the command line's input and output (docs/cli.md), generated from the schemas that parse
 * them.
 */
async function writeSchema(outdir) {
  const outfile = path.join(outdir, '.schema.cjs');
  await esbuild.build({ ...common(false), plugins: [], entryPoints: ['scripts/protocolSchema.ts'], outfile });
  const { protocolSchema } = createRequire(import.meta.url)(outfile);
  await writeFile(path.join(outdir, 'protocol.schema.json'), `${JSON.stringify(protocolSchema(), null, 2)}\n`);
  await rm(outfile);
}

if (isScript) {
  await build();
  if (builtForTests) await cp(dist, builtForTests, { recursive: true });
}
