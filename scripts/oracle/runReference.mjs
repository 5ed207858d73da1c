// Runs the reference patch tool on a small tree in a separate folder.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

const NOT_TEXT = Buffer.from([0x61, 0xff, 0xfe, 0x0a]);

/** Applies a patch with the reference. Resolves with a ReferenceRun (test/support/patchOutcome.ts). */
export async function runReference(bin, files, patch) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'tiller-oracle-'));
  try {
    await writeTree(folder, files);
    const result = await runPatchTool(path.join(bin, 'apply_patch'), folder, patch);
    return { ...result, tree: await readTree(folder) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runPatchTool(program, cwd, patch) {
  return new Promise((resolve, reject) => {
    const child = execFile(program, [], { cwd, env: { HOME: cwd } }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') reject(error);
      else resolve({ exitCode: error?.code ?? 0, stdout, stderr });
    });
    child.stdin.on('error', () => {});
    child.stdin.end(patch);
  });
}

async function writeTree(folder, files) {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(content === null ? file : path.dirname(file), { recursive: true });
    if (content !== null) await writeFile(file, content === false ? NOT_TEXT : content);
  }
}

async function readTree(folder) {
  const tree = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const bytes = await readFile(file);
    tree[path.relative(folder, file).replaceAll(path.sep, '/')] = bytes.equals(NOT_TEXT)
      ? false
      : bytes.toString('utf8');
  }
  return tree;
}
