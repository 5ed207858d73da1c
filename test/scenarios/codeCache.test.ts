/** The code cache beside the command line's bundle: it saves time, and never changes what runs. */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { buildCli } from '../../scripts/build.mjs';
import { cachedModule } from '../../src/node/codeCache.ts';
import { folderOfRun, type TempFolder, tempFolder } from '../support/tempFolder.ts';

const outdir = folderOfRun();
const main = path.join(outdir, 'commandLine.js');

beforeAll(() => buildCli({ outdir }));

/** `NODE_OPTIONS` of the next processes. */
let nodeOptions: string | undefined;

function tiller(home: TempFolder, ...args: readonly string[]): string {
  const env = { PATH: process.env['PATH'], HOME: home.path, TILLER_HOME: home.at('tiller'), NODE_OPTIONS: nodeOptions };
  const run = spawnSync(process.execPath, [path.join(outdir, 'cli.js'), ...args], {
    cwd: home.path,
    env,
    encoding: 'utf8',
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout;
}

const job = (home: TempFolder) =>
  tiller(home, 'exec', '--demo', '--sandbox', 'danger-full-access', '--approval-policy', 'never', '--', 'hi');

const patch = (home: TempFolder, name: string) =>
  tiller(home, 'apply-patch', `*** Begin Patch\n*** Add File: ${name}\n+a\n*** End Patch`);

const caches = () => readdirSync(outdir).filter((name) => name.endsWith('.cache'));
const cacheOf = (bundle: string) =>
  path.join(outdir, caches().find((name) => name.startsWith(`${bundle}.js.`)) ?? 'no cache');

it('the code cache is made by the first job, used by the next, and made again when it does not fit', () => {
  using home = tempFolder();
  tiller(home, '--version');
  expect(caches()).toEqual([]);
  const said = job(home);
  const file = cacheOf('commandLine');
  const { size, mtimeMs } = statSync(file);
  expect(size).toBeGreaterThan(statSync(main).size / 4);
  expect(job(home)).toBe(said);
  expect(statSync(file).mtimeMs).toBe(mtimeMs);

  // A disk that was full.
  truncateSync(file, size / 2);
  expect(job(home)).toBe(said);
  expect(statSync(file).size).toBeGreaterThan(size / 2);
  expect(new Set(caches().map((name) => name.split('.')[0]))).toEqual(new Set(['commandLine', 'openaiSdk']));
});

it('a job does not load the undici of Node.js, which takes 14 ms', () => {
  using home = tempFolder();
  const atExit = `require('node:fs').writeFileSync(${JSON.stringify(home.at('modules'))}, process.moduleLoadList.join())`;
  writeFileSync(home.at('report.cjs'), `process.on('exit', () => ${atExit});`);
  nodeOptions = `--require ${home.at('report.cjs')}`;
  job(home);
  nodeOptions = undefined;
  const modules = readFileSync(home.at('modules'), 'utf8');
  expect(modules).toContain('NativeModule http,');
  expect(modules).not.toContain('undici');
});

it('the code cache is of bundles in ASCII, which take less memory: regular expressions have escapes for other characters', () => {
  const bundles = readdirSync(outdir).filter((name) => name.endsWith('.js'));
  expect(bundles).toContain('commandLine.js');
  const others = bundles.flatMap(
    (name) => readFileSync(path.join(outdir, name), 'utf8').match(/.{0,40}[^\0-\x7f].{0,20}/g) ?? [],
  );
  expect(others).toEqual([]);
});

it('the code cache is made again, once, by the first process that has applied a patch', () => {
  using home = tempFolder();
  for (const one of caches()) rmSync(path.join(outdir, one));
  job(home);
  const file = cacheOf('commandLine');
  const { size } = statSync(file);
  patch(home, 'a.txt');
  const { size: larger, mtimeMs } = statSync(file);
  expect(larger).toBeGreaterThan(size);
  patch(home, 'b.txt');
  expect(statSync(file).mtimeMs).toBe(mtimeMs);
});

it('the code cache is not made again and again where it would not become larger', () => {
  using home = tempFolder();
  for (const one of caches()) rmSync(path.join(outdir, one));
  job(home);
  const file = cacheOf('commandLine');
  // V8 does not read what follows the code.
  appendFileSync(file, Buffer.alloc(16 * 1024 * 1024));
  const attempts = ['a', 'b', 'c', 'd', 'e'].map((name) => {
    patch(home, `${name}.txt`);
    return readFileSync(file)[17];
  });
  expect(attempts).toEqual([1, 2, 3, 3, 3]);
  expect(statSync(file).size).toBeGreaterThan(16 * 1024 * 1024);
});

it('the code cache does not run the code of an older bundle, even one of the same length', () => {
  using home = tempFolder();
  job(home);
  const said = tiller(home, '--help');
  const bundle = readFileSync(main, 'utf8');
  writeFileSync(main, bundle.replaceAll('a coding agent for your workspace', 'a coding agent for YOUR workspace'));
  expect(tiller(home, '--help')).toBe(said.replace('your workspace', 'YOUR workspace'));
  writeFileSync(main, bundle);
});

it('the code cache is not needed: a place that cannot be written leaves every start as it is', () => {
  using home = tempFolder();
  job(home);
  const file = cacheOf('commandLine');
  const name = path.basename(file);
  for (const one of caches()) rmSync(path.join(outdir, one));
  mkdirSync(file);
  job(home);
  expect(caches().filter((one) => one.startsWith('commandLine'))).toEqual([name]);
  expect(statSync(file).isDirectory()).toBe(true);
});

it('the code cache can be read by `import()` in a process that serves others: loaded once, and again after a failure', async () => {
  using place = tempFolder();
  const file = place.at('bundle.js');
  const module = cachedModule(file);
  // As `import()` in a bundle: it resolves with what the module's `then` gives.
  const load = async () => (await module) as { readonly number: number };
  await expect(load()).rejects.toThrow('ENOENT');
  writeFileSync(file, 'globalThis.loads = (globalThis.loads ?? 0) + 1; exports.number = globalThis.loads;');
  const [first, second] = await Promise.all([load(), load()]);
  expect(first).toEqual({ number: 1 });
  expect(second).toBe(first);
  expect(await load()).toBe(first);
});
