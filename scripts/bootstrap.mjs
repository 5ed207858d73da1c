// Prepares a fresh clone: checks the version of Node, and installs the packages of package-lock.json. It imports only
// modules of Node, so it works before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

/** The oldest release of Node 20 that the build and test tools support. */
const OLDEST_NODE = [20, 19];

/** Ends the process with a message if this Node is too old. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  const needed = OLDEST_NODE.join('.');
  console.error(`Tiller needs Node ${needed} or newer to build and test; this is Node ${process.versions.node}.`);
  process.exit(1);
}

/** Runs `npm ci` unless node_modules already holds exactly what package-lock.json names. */
export function ensureInstalled() {
  requireNode();
  const missing = firstDifference();
  if (!missing) return;
  console.log(`Installing packages (${missing}) …`);
  const npm = npmCommand();
  const result = spawnSync(npm.command, [...npm.args, 'ci', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: npm.shell,
  });
  if (result.status === 0) return;
  console.error(`npm ci failed${result.error ? `: ${result.error.message}` : ` with exit code ${result.status}`}.`);
  process.exit(1);
}

/** Returns the npm that runs this script, if one does; otherwise the one on the PATH. */
function npmCommand() {
  const script = process.env.npm_execpath;
  if (script && path.basename(script) === 'npm-cli.js')
    return { command: process.execPath, args: [script], shell: false };
  return { command: 'npm', args: [], shell: process.platform === 'win32' };
}

/**
 * Returns the reason why an installation is needed, or null. npm records the installed packages in
 * node_modules/.package-lock.json. Comparing contents instead of times also works after `git checkout`, and costs a few
 * milliseconds.
 */
function firstDifference() {
  const record = path.join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return 'node_modules is missing';
  const wanted = packagesOf(path.join(root, 'package-lock.json'));
  const installed = packagesOf(record);
  for (const [name, entry] of Object.entries(wanted)) {
    if (name === '') continue;
    const found = installed[name];
    // Optional packages for other platforms are in the lock file but not installed.
    if (!found && (entry.optional || entry.devOptional)) continue;
    if (!found) return `${name} is missing`;
    if (found.version !== entry.version || found.integrity !== entry.integrity) return `${name} changed`;
  }
  return null;
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}
