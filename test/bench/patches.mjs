// One patch of a given size, applied to fresh files by Tiller in a process of its own or by the program of a peer.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { root } from '../../scripts/bootstrap.mjs';
import { newScratch } from './scratch.mjs';

/**
 * Resolves with { wallMs }; for a peer it is the whole process minus the time to start an empty process. `parent`: where
 * the files are, otherwise in the folder for temporary files.
 */
export async function runPatch(agent, program, { files, patch }, parent) {
  const scratch = newScratch(parent);
  const work = path.join(scratch, 'work');
  for (const [name, lines] of Object.entries(files)) {
    const file = path.join(work, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `${lines.join('\n')}\n`);
  }
  return agent.name === 'tiller' ? await runOurs(scratch, work, patch) : runPeer(program, work, patch);
}

async function runOurs(scratch, work, patch) {
  const patchFile = path.join(scratch, 'patch.txt');
  writeFileSync(patchFile, patch);
  const apply = (folder) => {
    const argv = [path.join(program, 'main.cjs'), folder, patchFile, path.join(scratch, 'home')];
    return JSON.parse(run(process.execPath, argv).stdout);
  };
  const program = await (built ??= buildOurs());
  // An earlier process has made the code cache, as the first patch of `tiller exec` or `tiller apply-patch` does.
  const earlier = path.join(scratch, 'earlier');
  cpSync(work, earlier, { recursive: true });
  apply(earlier);
  return apply(work);
}

let built;

/** Resolves with the folder of `main.cjs`, which loads the patch engine as the command line loads its bundle. */
async function buildOurs() {
  const outdir = newScratch();
  const load = `
    import { join } from 'node:path';
    import { requireCached } from './src/node/codeCache.ts';
    void requireCached(join(__dirname, 'ours.cjs')).run();`;
  const common = { bundle: true, minify: true, platform: 'node', format: 'cjs', target: 'node20', logLevel: 'warning' };
  await Promise.all([
    esbuild.build({ ...common, stdin: { contents: load, resolveDir: root }, outfile: path.join(outdir, 'main.cjs') }),
    esbuild.build({
      ...common,
      entryPoints: [path.join(root, 'test/bench/patchOurs.ts')],
      outfile: path.join(outdir, 'ours.cjs'),
    }),
  ]);
  return outdir;
}

/** The program of codex behaves as a patch tool when it is called by that name. */
function runPeer(program, cwd, patch) {
  const floor = run('/bin/true', []).wallMs;
  const { wallMs } = run(program, [], { cwd, input: patch, argv0: 'apply_patch' });
  return { wallMs: Math.max(0, wallMs - floor) };
}

function run(command, args, options) {
  const start = performance.now();
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', ...options });
  const wallMs = performance.now() - start;
  if (status !== 0) throw new Error(`${path.basename(command)} ended with ${status}: ${error?.message ?? stderr}`);
  return { wallMs, stdout };
}

/** `hunks` spread evenly over one file of `lines` lines, three lines of context on either side. */
export function longFile(hunks, lines) {
  const text = Array.from({ length: lines }, (_, line) => `line ${line} of a long file ${(line * 7919) % 104_729}`);
  const step = Math.floor(lines / hunks);
  const chunks = Array.from({ length: hunks }, (_, hunk) => {
    const at = hunk * step + 5;
    const quoted = (from, to) => text.slice(from, to).map((line) => ` ${line}`);
    return ['@@', ...quoted(at - 3, at), `-${text[at]}`, `+changed ${hunk}`, ...quoted(at + 1, at + 4)];
  });
  return { files: { 'long.txt': text }, patch: patchOf([['*** Update File: long.txt', ...chunks.flat()]]) };
}

/** One hunk in each of `count` files of 20 lines, twenty files to a folder. */
export function manyFiles(count) {
  const names = Array.from({ length: count }, (_, file) => `part${Math.floor(file / 20)}/file${file}.txt`);
  const linesOf = (name) => Array.from({ length: 20 }, (_, line) => `${name} ${line}`);
  return {
    files: Object.fromEntries(names.map((name) => [name, linesOf(name)])),
    patch: patchOf(
      names.map((name) => [`*** Update File: ${name}`, '@@', ` ${name} 9`, `-${name} 10`, '+changed', ` ${name} 11`]),
    ),
  };
}

function patchOf(operations) {
  return ['*** Begin Patch', ...operations.flat(), '*** End Patch', ''].join('\n');
}
