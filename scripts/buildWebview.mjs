// Builds the panel and the pages of the editor into dist/webview, each with its styles, and the icon font. esbuild only.
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const { version } = createRequire(import.meta.url)(path.join(root, 'package.json'));

/** Parts of markdown-it that would make up a tenth of the bundle, with their replacements. */
const SMALLER = {
  entities: './webview-ui/text/namedCharacters.ts',
  'linkify-it': './webview-ui/text/namedCharacters.ts',
};

/**
 * Builds the panel and the pages. `buildId` must be the id that the host puts into its messages: a panel of another
 * build is reloaded. With `watch` it rebuilds until the returned context is disposed of.
 */
export async function buildWebview({
  outdir = path.join(root, 'dist/webview'),
  watch = false,
  sourcemap = watch && 'linked',
  buildId = version,
} = {}) {
  const options = {
    absWorkingDir: root,
    entryPoints: {
      main: 'webview-ui/main.tsx',
      rules: 'webview-ui/rules/main.tsx',
      audit: 'webview-ui/audit/main.tsx',
      // Loaded with the first formula.
      math: 'webview-ui/mathPage.ts',
    },
    outdir,
    bundle: true,
    minify: !watch,
    platform: 'browser',
    target: 'chrome130',
    format: 'iife',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    alias: SMALLER,
    loader: { '.ttf': 'file' },
    assetNames: '[name]',
    legalComments: 'none',
    logLevel: 'warning',
    define: { TILLER_BUILD: JSON.stringify(buildId) },
    sourcemap,
    metafile: true,
  };
  if (!watch) return esbuild.build(options);
  const context = await esbuild.context(options);
  await context.watch();
  return context;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildWebview();
