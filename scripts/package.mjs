// `npm run package`: builds Tiller and makes tiller.vsix. Fails if it is larger than we promise.
import { statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, root } from './bootstrap.mjs';
import { run } from './vscode/cache.mjs';

const LIMIT = 3_000_000;

/** Resolves with the path of the VSIX. */
export async function makeVsix() {
  const { build, builtForTests } = await import('./build.mjs');
  if (!builtForTests) await build();
  const vsix = path.join(root, 'tiller.vsix');
  const vsce = path.join(root, 'node_modules/@vscode/vsce/vsce');
  // Everything we use is in the bundles, and the package for terminals beside them.
  const files = await run(process.execPath, [vsce, 'ls', '--no-dependencies'], { cwd: root });
  await run(process.execPath, [vsce, 'package', '--no-dependencies', '--out', vsix], { cwd: root });
  const { size } = statSync(vsix);
  console.log(`${files}\n${path.basename(vsix)}: ${(size / 1e6).toFixed(2)} MB of ${LIMIT / 1e6} MB`);
  if (!/node-pty-[^/]+\/pty\.node/.test(files)) console.log('Without terminals: @lydell/node-pty is not installed.');
  if (size > LIMIT) throw new Error('The VSIX is larger than we promise.');
  return vsix;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureInstalled();
  try {
    await makeVsix();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
