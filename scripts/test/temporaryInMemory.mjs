// The temporary folder of `npm test`, in memory: the tests make and remove some 100,000 small files, which costs eight times
// the processor time on a disk (docs/decisions/0075-temporary-files-of-tests-are-in-memory.md).
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { availableParallelism, freemem, homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../bootstrap.mjs';

const GIGABYTE = 2 ** 30;
/** The most space for the files, and the memory that must be free, so that there is enough left for VS Code and the browsers. */
const MOST = 6 * GIGABYTE;
const FREE = MOST + availableParallelism() * 2 * GIGABYTE;

/**
 * Mounts a new file system in memory on `$2` and runs the rest of its arguments; a process outside does not see the mount, and
 * it is gone with the last process inside. `$3` names entries of the folder that stay visible, one a line.
 */
const MOUNT = String.raw`
set -e
own=$1 folder=$2 kept=$3
shift 3
mount -t tmpfs -o "mode=1777,size=$TILLER_TEMPORARY_SIZE" tmpfs "$own"
unset TILLER_TEMPORARY_SIZE
printf '%s' "$kept" | while IFS= read -r name; do
  if [ -d "$folder/$name" ]; then mkdir "$own/$name"; else : > "$own/$name"; fi
  mount --bind "$folder/$name" "$own/$name"
done
mount --rbind "$own" "$folder"
cd "$PWD"
exec "$@"
`;

/** Marks processes inside. */
const INSIDE = 'TILLER_TEMPORARY_IN_MEMORY';
const UNSHARE = ['--mount', '--propagation', 'private'];

/**
 * Runs a script again with the temporary folder in memory, and resolves with its exit code; with undefined where this is not
 * possible, or inside already.
 * @param {string[]} words  the script and its arguments
 * @returns {Promise<number | undefined>}
 */
export async function runWithTemporaryFolderInMemory(words) {
  if (process.env[INSIDE]) return undefined;
  const reason = reasonForDisk();
  if (reason !== undefined) {
    console.log(`Temporary files are on the disk: ${reason}.`);
    return undefined;
  }
  const own = mkdtempSync(path.join(tmpdir(), 'tiller-memory-'));
  try {
    const kept = keptEntries(process.env).map((name) => `${name}\n`);
    return await run([own, tmpdir(), kept.join(''), process.execPath, ...words]);
  } finally {
    rmdirSync(own);
  }
}

/** The reason for a temporary folder on the disk; undefined where it can be in memory. @returns {string | undefined} */
export function reasonForDisk() {
  if (process.platform !== 'linux') return 'only Linux mounts a folder for one process';
  if (process.getuid?.() !== 0) return 'a mount needs root';
  if (freemem() < FREE) return `less than ${FREE / GIGABYTE} GB of memory are free`;
  const tried = spawnSync('unshare', [...UNSHARE, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()], { stdio: 'ignore' });
  return tried.status === 0 ? undefined : 'the system allows no mount';
}

/**
 * The entries of the temporary folder that stay visible: in which this clone is, or something that the environment names.
 * @param {NodeJS.ProcessEnv} environment
 */
export function keptEntries(environment) {
  const named = Object.values(environment).flatMap((value) => (value ?? '').split(path.delimiter));
  const inside = [root, homedir(), process.execPath, ...named]
    .filter((name) => path.isAbsolute(name))
    .map((name) => path.relative(tmpdir(), name))
    .filter((name) => name !== '' && name.split(path.sep)[0] !== '..');
  const entries = new Set(inside.map((name) => name.split(path.sep)[0] ?? ''));
  return [...entries].filter((name) => existsSync(path.join(tmpdir(), name)));
}

/** @param {string[]} args  of `MOUNT` @returns {Promise<number>} */
function run(args) {
  const child = spawn('unshare', [...UNSHARE, 'sh', '-c', MOUNT, 'sh', ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: '1', TILLER_TEMPORARY_SIZE: String(MOST) },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
