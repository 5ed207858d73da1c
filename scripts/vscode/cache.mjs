// The cache folder for programs that the tests fetch and that are not part of the product: VS Code and a browser.
import { spawn } from 'node:child_process';
import { mkdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const STAMP = '.complete';
/** Milliseconds after which a lock is taken over whose owner ended without releasing it or runs on another machine. */
const LOCK_EXPIRES_MS = 15 * 60_000;

/** Returns the folder of `name`: `$TILLER_CACHE/<name>`, `~/.cache/tiller/<name>` by default. */
export function cacheFolder(name) {
  return path.join(process.env.TILLER_CACHE || path.join(homedir(), '.cache', 'tiller'), name);
}

/**
 * Resolves with the folder `name` of the cache. Unless it was made by the same `recipe`, `install(folder)` creates it.
 * Several processes may call this at once: one installs, the others wait. A folder only becomes visible when it is
 * complete.
 */
export async function cached(name, recipe, install) {
  const folder = cacheFolder(name);
  if (await isComplete(folder, recipe)) return folder;
  await mkdir(path.dirname(folder), { recursive: true });
  const unlock = await lock(`${folder}.lock`);
  try {
    if (await isComplete(folder, recipe)) return folder;
    const staging = `${folder}.new`;
    await rm(staging, { recursive: true, force: true });
    await mkdir(staging);
    await install(staging);
    await writeFile(path.join(staging, STAMP), recipe);
    await rm(folder, { recursive: true, force: true });
    await rename(staging, folder);
    return folder;
  } finally {
    await unlock();
  }
}

async function isComplete(folder, recipe) {
  const stamp = await readFile(path.join(folder, STAMP), 'utf8').catch(() => undefined);
  return stamp === recipe;
}

/** Takes the lock of a folder. Resolves with the function that releases it. */
async function lock(folder) {
  for (let hasReported = false; ; ) {
    try {
      await mkdir(folder);
      await writeFile(path.join(folder, 'pid'), String(process.pid));
      return () => rm(folder, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (await isAbandoned(folder)) {
      await rm(path.join(folder, 'pid'), { force: true });
      await rmdir(folder).catch(() => {});
      continue;
    }
    if (!hasReported) console.log(`Another process is installing; waiting (${folder}) …`);
    hasReported = true;
    await sleep(500);
  }
}

async function isAbandoned(folder) {
  const age = await stat(folder).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  if (age > LOCK_EXPIRES_MS) return true;
  const pid = Number(await readFile(path.join(folder, 'pid'), 'utf8').catch(() => ''));
  if (!pid) return age > 10_000;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Runs `npm …` in `folder`. Rejects with npm's own first error message. */
export async function npm(folder, ...args) {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error', '--fetch-timeout=60000'];
  await run('npm', [...args, '--prefix', folder, ...quiet], { cwd: folder });
}

/** Resolves with the output of the program; rejects with the first line of its error output. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    let complaint = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (complaint += chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) return resolve(output.trim());
      const lines = `${complaint}\n${output}`.split('\n').filter((line) => /\w/.test(line) && !/^npm warn/i.test(line));
      // The first line of npm is only a code such as "npm error code ENOTFOUND"; the message comes after it.
      const sentence = lines.find((line) => /request to|getaddrinfo|not found|reason:/i.test(line)) ?? lines[0];
      reject(new Error(`${command} ${args[0]} failed (${code}): ${(sentence ?? 'no output').trim().slice(0, 300)}`));
    });
  });
}
