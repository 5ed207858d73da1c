// `node scripts/vscode/install.mjs`: a real VS Code for the tests, from the npm registry alone: no root, no compiler.
// It is code-server (VS Code's server distribution, used through a browser) with the Node it needs, without what an
// extension's tests do not load, and with the same restrictions as a user's VS Code.
import { existsSync } from 'node:fs';
import { readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached, npm, run } from './cache.mjs';

/** VS Code 1.139.1, and the Node for which it is built: its extension host does not start on Node 20. */
const CODE_SERVER = '4.139.1';
const NODE = '24.21.0';
/**
 * The recipe of the installation. Increase its number when the steps below change: then existing installations are
 * replaced.
 */
const RECIPE = `code-server ${CODE_SERVER}, node ${NODE}, recipe 1`;

/** Packages that are large or have native code, and that our extension does not use. */
const UNUSED_PACKAGES = [
  '@github/copilot-sdk',
  '@vscode/copilot-api',
  '@microsoft/mxc-sdk',
  '@vscode/sandbox-runtime',
  '@devcontainers/cli',
  '@vscode/sqlite3',
  '@vscode/windows-process-tree',
  '@vscode/windows-registry',
  'kerberos',
  'ssh2',
];
const UNUSED_EXTENSIONS = [
  'copilot',
  'mermaid-markdown-features',
  'microsoft-authentication',
  'ms-vscode.vscode-js-profile-table',
];

/**
 * Matches the code by which code-server allows every extension the proposed API. A user's VS Code does not, so the
 * tests must not either.
 */
const ANYONE_MAY_PROPOSE = /function (\w+)\((\w+),(\w+)\)\{return!0\}(?=function \w+\(\2,\3\)\{if\(!\1\()/g;
const FILES_THAT_ASK = [
  'vs/code/browser/workbench/workbench.js',
  'vs/workbench/api/node/extensionHostProcess.js',
  'vs/workbench/api/worker/extensionHostWorkerMain.js',
];

/**
 * Resolves with the programs of an installed VS Code, installing it first if needed.
 * Rejects with a message when it is not available.
 */
export async function installVscode() {
  const arch = { x64: 'x64', arm64: 'arm64' }[process.arch];
  if (process.platform !== 'linux' || !arch) {
    throw new Error(
      `The test VS Code from npm runs on Linux x64 and arm64, not on ${process.platform} ${process.arch}: ` +
        'use npm run test:electron there.',
    );
  }
  const folder = await cached(`vscode/${CODE_SERVER}-${arch}`, RECIPE, (staging) => install(staging, arch));
  return {
    folder,
    version: CODE_SERVER.replace(/^4/, '1'),
    node: path.join(folder, `node_modules/node-linux-${arch}/bin/node`),
    entry: path.join(folder, 'node_modules/code-server/out/node/entry.js'),
  };
}

/**
 * Like `installVscode`, for test scripts: if VS Code is not available, ends the process without a failure, because
 * there is nothing to test.
 */
export async function installVscodeOrExit() {
  try {
    await installVscode();
  } catch (error) {
    console.error(error.message);
    process.exit(3);
  }
}

async function install(folder, arch) {
  const started = Date.now();
  console.log(`Installing VS Code ${CODE_SERVER.replace(/^4/, '1')} from npm …`);
  const vscode = path.join(folder, 'node_modules/code-server/lib/vscode');
  try {
    await writeFile(path.join(folder, 'package.json'), '{ "private": true }\n');
    await npm(folder, 'install', '--ignore-scripts', `code-server@${CODE_SERVER}`, `node-linux-${arch}@${NODE}`);
    await leaveOut(vscode);
    const modules = ['install', '--omit=dev', '--ignore-scripts', '--no-save'];
    await npm(vscode, ...modules);
    await npm(path.join(vscode, 'extensions'), ...modules);
  } catch (error) {
    throw new Error(`VS Code cannot be fetched from the npm registry: ${error.message}`, { cause: error });
  }
  // The link that code-server's own install script makes, too.
  await link(path.join(vscode, 'bin/remote-cli/code-server'), 'code-linux.sh');
  await link(path.join(vscode, 'bin/helpers/browser.sh'), 'browser-linux.sh');
  await replaceNativeCode(vscode);
  await forbidProposals(vscode);
  await trim(folder, vscode, arch);

  const node = path.join(folder, `node_modules/node-linux-${arch}/bin/node`);
  await run(node, [path.join(folder, 'node_modules/code-server/out/node/entry.js'), '--version']);
  const megabytes = (await run('du', ['-sm', folder])).split('\t')[0];
  console.log(`VS Code installed in ${((Date.now() - started) / 1000).toFixed(0)} s, ${megabytes} MB.`);
}

async function leaveOut(vscode) {
  const file = path.join(vscode, 'package.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  for (const name of UNUSED_PACKAGES) delete manifest.dependencies[name];
  await writeFile(file, JSON.stringify(manifest, null, 2));
  for (const name of UNUSED_EXTENSIONS) await remove(path.join(vscode, 'extensions', name));
}

/**
 * Replaces the two native addons that are loaded at every start. They use `exports.x =` lines because VS Code imports
 * these files as modules.
 */
async function replaceNativeCode(vscode) {
  const packages = path.join(vscode, 'node_modules/@vscode');
  await writeFile(path.join(packages, 'spdlog/index.js'), LOGGER);
  await writeFile(
    path.join(packages, 'native-watchdog/index.js'),
    'exports.start = () => {};\nexports.exit = (code) => process.exit(code || 0);\n',
  );
}

async function forbidProposals(vscode) {
  for (const name of FILES_THAT_ASK) {
    const file = path.join(vscode, 'out', name);
    const text = await readFile(file, 'utf8');
    let places = 0;
    const strict = text.replace(ANYONE_MAY_PROPOSE, (_, check, extension, proposal) => {
      places += 1;
      return `function ${check}(${extension},${proposal}){return!!${extension}.enabledApiProposals?.includes(${proposal})}`;
    });
    if (places !== 1) throw new Error(`${name} asks for proposed API in ${places} places; the recipe expects one.`);
    await writeFile(file, strict);
  }
}

/** Removes binaries of other platforms, headers and source maps. */
async function trim(folder, vscode, arch) {
  for (const name of ['node-pty/prebuilds', '@vscode/ripgrep-universal/bin']) {
    const platforms = path.join(vscode, 'node_modules', name);
    if (!existsSync(platforms)) continue;
    for (const platform of await readdir(platforms)) {
      if (platform !== `linux-${arch}`) await remove(path.join(platforms, platform));
    }
  }
  for (const name of ['include', 'share']) await remove(path.join(folder, `node_modules/node-linux-${arch}`, name));
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && entry.name.endsWith('.map'))
      await remove(path.join(entry.parentPath ?? entry.path, entry.name));
  }
}

async function link(file, target) {
  await remove(file);
  await symlink(target, file);
}

function remove(name) {
  return rm(name, { recursive: true, force: true });
}

const LOGGER = `// Stands in for the native rotating logger.
const fs = require('fs');
const path = require('path');
const LEVELS = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'off'];
class Logger {
  constructor(file) {
    this.file = file;
    this.level = 2;
    this.plain = false;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.closeSync(fs.openSync(file, 'a'));
  }
  write(level, message) {
    if (level < this.level || this.dropped) return;
    const time = new Date().toISOString().replace('T', ' ').slice(0, 23);
    const line = this.plain ? message : time + ' [' + LEVELS[level] + '] ' + message + '\\n';
    try { fs.appendFileSync(this.file, line); } catch {}
  }
  trace(message) { this.write(0, message); }
  debug(message) { this.write(1, message); }
  info(message) { this.write(2, message); }
  warn(message) { this.write(3, message); }
  error(message) { this.write(4, message); }
  critical(message) { this.write(5, message); }
  getLevel() { return this.level; }
  setLevel(level) { this.level = level; }
  setPattern() { this.plain = false; }
  clearFormatters() { this.plain = true; }
  flush() {}
  drop() { this.dropped = true; }
}
exports.version = 0;
exports.Logger = Logger;
exports.setLevel = function () {};
exports.setFlushOn = function () {};
exports.createRotatingLogger = async (name, file) => new Logger(file);
exports.createAsyncRotatingLogger = async (name, file) => new Logger(file);
`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const { folder, version } = await installVscode();
    console.log(`VS Code ${version} is in ${folder}`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
