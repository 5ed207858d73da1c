// Finds a browser for the tests, and for `npm start` without a display: one from npm, an installed one, or one from
// apt. The one from npm is preferred: it has the same version everywhere, and a headless Chromium without a user
// interface takes 40 % less processor time than the `chromium` of a distribution.
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { brotliDecompress } from 'node:zlib';
import { cached, npm, run } from './cache.mjs';

/** A headless Chromium in an npm package, for Linux on x64, with the libraries that a minimal system lacks. */
const PACKAGE = '@sparticuz/chromium';
const VERSION = '153.0.0';
const RECIPE = `${PACKAGE} ${VERSION}, recipe 1`;

/** Turns off V8's optimizing compilers: in pages that are open for seconds they cost more time than they save. */
export const UNOPTIMIZED = '--js-flags=--no-opt,--no-maglev';

/**
 * Makes V8 keep the compiled code of a script after its first run instead of its third: from the second window on, each
 * starts a second faster. The other settings are those of Playwright, which this switch replaces. `3` is
 * `kCodeWithoutHeatCheck` of Blink.
 */
export const CODE_CACHE =
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4,v8CacheOptions=3';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge', 'chrome'];

/** @type {ReturnType<typeof search> | undefined} */
let found;

/**
 * Resolves with `{ executablePath, env, from }`; the first two are options of playwright. Rejects with a message if
 * there is no browser. Searches once per process, because each candidate is started to see whether it works.
 */
export function findBrowser() {
  found ??= search();
  return found;
}

async function search() {
  const named = process.env.TILLER_BROWSER;
  if (named) {
    const program = existsSync(named) ? named : onPath(named);
    if (!program) throw new Error(`$TILLER_BROWSER is ${named}, which does not exist.`);
    return { executablePath: program, from: '$TILLER_BROWSER' };
  }
  const reasons = [];
  for (const source of [fromNpm, installed, fromApt]) {
    try {
      return await source();
    } catch (error) {
      reasons.push(error.message);
    }
  }
  throw new Error(`There is no browser: install chromium or set TILLER_BROWSER. (${reasons.join(' ')})`);
}

async function installed() {
  for (const name of NAMES) {
    const program = onPath(name);
    if (program && (await starts(program))) return { executablePath: program, from: 'installed' };
  }
  throw new Error(`None of ${NAMES.join(', ')} is installed.`);
}

function onPath(name) {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.join(folder, name)).find(existsSync);
}

/**
 * Resolves with true if the program starts: some distributions have a `chromium` that only prints how to install one.
 */
async function starts(program, env = process.env) {
  const options = { env, timeout: 20_000 };
  return run(program, ['--version'], options).then(
    (text) => /\d+\.\d+\.\d+/.test(text),
    () => false,
  );
}

async function fromNpm() {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error(`${PACKAGE} is for Linux x64 only.`);
  const folder = await cached(`browser/${VERSION}-x64`, RECIPE, unpackFromNpm);
  const executablePath = path.join(folder, 'chromium');
  const env = { ...process.env, LD_LIBRARY_PATH: [path.join(folder, 'lib'), process.env.LD_LIBRARY_PATH].join(':') };
  // If the machine has no fonts, use the font in the package.
  if (!existsSync('/etc/fonts/fonts.conf')) env.FONTCONFIG_FILE = path.join(folder, 'fonts.conf');
  if (!(await starts(executablePath, env))) throw new Error(`The browser of ${PACKAGE} does not start here.`);
  return { executablePath, env, from: 'npm' };
}

async function unpackFromNpm(folder) {
  const started = Date.now();
  console.log(`Fetching a browser (${PACKAGE} ${VERSION}) from npm …`);
  const temporary = path.join(folder, 'npm');
  await mkdir(temporary);
  await writeFile(path.join(temporary, 'package.json'), '{ "private": true }\n');
  await npm(temporary, 'install', '--ignore-scripts', `${PACKAGE}@${VERSION}`);
  const packed = path.join(temporary, 'node_modules', PACKAGE, 'bin');
  const unpack = async (name) => promisify(brotliDecompress)(await readFile(path.join(packed, name)));
  await writeFile(path.join(folder, 'chromium'), await unpack('chromium.br'));
  await chmod(path.join(folder, 'chromium'), 0o755);
  for (const name of ['al2023', 'swiftshader', 'fonts']) {
    const archive = path.join(temporary, `${name}.tar`);
    await writeFile(archive, await unpack(`${name}.tar.br`));
    await run('tar', ['-xf', archive, '-C', folder, '--no-same-owner']);
  }
  const fonts = `<fontconfig><dir>${path.join(path.dirname(folder), `${VERSION}-x64`, 'fonts')}</dir></fontconfig>\n`;
  await writeFile(path.join(folder, 'fonts.conf'), `<?xml version="1.0"?>\n${fonts}`);
  await rm(temporary, { recursive: true });
  console.log(`Browser fetched in ${((Date.now() - started) / 1000).toFixed(0)} s.`);
}

async function fromApt() {
  if (process.getuid?.() !== 0 || !onPath('apt-get')) throw new Error('apt-get needs root.');
  console.log('Installing chromium with apt-get …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-q'], { env });
  await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium'], { env });
  const program = onPath('chromium');
  if (!program) throw new Error('apt-get installed no chromium.');
  return { executablePath: program, from: 'apt' };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const { executablePath, from } = await findBrowser();
    console.log(`${executablePath} (${from})`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
