// `npm run package`: builds Tiller and makes tiller.vsix, with the source maps of that build in artifacts/sourcemaps
// (they are not shipped). Fails if the VSIX is larger than the limit.
import { statSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, root } from './bootstrap.mjs';
import { run } from './vscode/cache.mjs';

const LIMIT = 3_000_000;

/** Resolves with the path of the VSIX. */
export async function makeVsix() {
  const { build, builtForTests } = await import('./build.mjs');
  if (!builtForTests) {
    await build({ sourcemap: 'external' });
    await moveSourceMaps();
  }
  const vsix = path.join(root, 'tiller.vsix');
  const vsce = path.join(root, 'node_modules/@vscode/vsce/vsce');
  // Without dependencies: they are in the bundles, and the package for terminals is beside them.
  const files = await run(process.execPath, [vsce, 'ls', '--no-dependencies'], { cwd: root });
  await run(process.execPath, [vsce, 'package', '--no-dependencies', '--out', vsix], { cwd: root });
  const { size } = statSync(vsix);
  console.log(`${files}\n${path.basename(vsix)}: ${(size / 1e6).toFixed(2)} MB of ${LIMIT / 1e6} MB`);
  if (!/node-pty-[^/]+\/pty\.node/.test(files)) console.log('Without terminals: @lydell/node-pty is not installed.');
  if (size > LIMIT) throw new Error('The VSIX is larger than we promise.');
  return vsix;
}

/** Moves the source maps beside the VSIX. They are not shipped, but needed to read stack traces of this release. */
async function moveSourceMaps() {
  const dist = path.join(root, 'dist');
  const target = path.join(root, 'artifacts/sourcemaps');
  await rm(target, { recursive: true, force: true });
  const maps = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith('.map'));
  for (const name of maps) {
    await mkdir(path.dirname(path.join(target, name)), { recursive: true });
    await rename(path.join(dist, name), path.join(target, name));
  }
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
