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

/** Modules loaded on first use; each becomes a file of its own beside the bundle that imports it. */
const LAZY = ['openaiSdk', 'mcpSdk', 'compose', 'commandLine'];

const pathsOf = (names) => new RegExp(`/(${names.join('|')})\\.ts$`);
const bundleOf = (module) => `./${path.basename(module, '.ts')}.js`;

/** esbuild does not split CommonJS: an import of a lazy module is left to `require` at run time. */
export const leftToRunTime = (...names) => ({
  name: 'lazy-modules',
  setup(build) {
    build.onResolve({ filter: pathsOf(names) }, (args) =>
      args.kind === 'dynamic-import' ? { path: bundleOf(args.path), external: true } : undefined,
    );
  },
});

/** The same with V8's code cache. `load`: the function of codeCache.ts that makes the module. */
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

/** The values of VS Code's API, as its types declare them. */
function vscodeNames() {
  const types = readFileSync(path.join(root, 'node_modules/@types/vscode/index.d.ts'), 'utf8');
  const declared = types.matchAll(/^\t(?:export )?(?:abstract )?(?:namespace|class|enum|const|function) (\w+)/gm);
  return [...new Set(Array.from(declared, ([, name]) => name))];
}

/**
 * VS Code's API as variables that the whole bundle shares. Without it esbuild copies the some 450 getters of the
 * API for each file that imports it: 40 ms of the first use for 166 files, and 3 for one copy.
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

/** The modules of the SDK that use the global `Headers` in each request: they get the class of headerList.ts (docs/decisions/0070). */
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

/** Contains a binary; loaded from the folder of the bundle, and terminals are optional. */
const EXTERNAL = ['@lydell/node-pty'];

/** @param {boolean | 'linked' | 'external'} sourcemap  a debugger does not find its breakpoints in cached code */
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
  // A real `import()` of a CommonJS file would load the loader of ES modules first, which takes about 45 ms.
  supported: { 'dynamic-import': false },
  minify: true,
  keepNames: false,
  // Licences are in a file of their own: thirdPartyNotices.mjs.
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  define: {
    TILLER_VERSION: JSON.stringify(version),
    // zod and openai look at it to recognize other runtimes. VS Code logs an error with a stack for an extension that reads it.
    navigator: 'undefined',
    'globalThis.navigator': 'undefined',
  },
  external: EXTERNAL,
});

/**
 * The folder into which scripts/test.mjs has built the product for all suites of one run: the suites do not build it
 * again, and a build in the meantime does not affect them.
 */
export const builtForTests = process.env.TILLER_BUILT;

/** Builds the whole product. `sourcemap` as esbuild takes it: `linked` for developers, `external` for a release. */
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

/** Copies the package for terminals of this platform beside the bundles; it is optional. Resolves with its folders. */
async function copyTerminals(outdir) {
  const names = await readdir(path.join(root, 'node_modules/@lydell')).catch(() => []);
  const copied = names.filter((one) => one.startsWith('node-pty')).map((name) => `node_modules/@lydell/${name}`);
  for (const folder of copied) await cp(path.join(root, folder), path.join(outdir, folder), { recursive: true });
  return copied;
}

/** The extension alone: a small entry file, and modules that it loads on first use. */
export async function buildExtension({ outdir, sourcemap = false }) {
  // The extension host serves other extensions, too: in slices. The command line alone is faster in one go.
  const shared = common(sourcemap, 'cachedModule');
  return esbuild.build({
    ...shared,
    plugins: [...shared.plugins, oneVscodeApi],
    entryPoints: { extension: 'src/extension.ts', compose: 'src/extension/compose.ts', ...PROGRAMS },
    outdir,
  });
}

/** The command line alone, with the modules it loads on first use. */
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

/** The wire of docs/cli.md as JSON Schema, generated from the schemas that parse it. */
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
