// Adds missing optional packages to package-lock.json. Run it after every change of dependencies: `node
// scripts/completeLock.mjs`. If the registry has no packages for other platforms, npm leaves them out of
// package-lock.json, and `npm ci` then refuses the file. Other packages are not changed.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './bootstrap.mjs';

const file = path.join(root, 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));
const added = [];

for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (found(place, name)) continue;
    const flag = entry.dev || place === '' ? { dev: true } : {};
    lock.packages[`node_modules/${name}`] = {
      version: version.replace(/^[~^]/, ''),
      ...flag,
      optional: true,
      ...platform(name),
    };
    added.push(name);
  }
}

lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
if (added.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length > 0 ? `Added ${added.length}: ${added.join(', ')}` : 'Nothing is missing.');

/** Finds a package as Node does: beside the package that needs it, then upwards. */
function found(place, name) {
  for (let folder = place; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (lock.packages[path.posix.join(folder, 'node_modules', name)]) return true;
    if (folder === '') return false;
  }
}

/**
 * Returns the platform fields of an optional package, derived from its name. npm installs it only on a matching
 * platform.
 */
function platform(name) {
  const words = name.split(/[/-]/);
  const oneOf = (known) => words.filter((word) => known.includes(word)).slice(0, 1);
  const os = oneOf([
    'android',
    'darwin',
    'freebsd',
    'linux',
    'netbsd',
    'openbsd',
    'openharmony',
    'sunos',
    'win32',
    'alpine',
  ]);
  const cpu = oneOf(['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']);
  const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') ? ['glibc'] : [];
  const fields = { os: os[0] === 'alpine' ? ['linux'] : os, cpu, libc };
  return Object.fromEntries(Object.entries(fields).filter(([, values]) => values.length > 0));
}
