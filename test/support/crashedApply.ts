/** A patch of fifty files in a process that is killed while it applies it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import type { DecidedChange } from '../../src/core/ports.ts';
import { decidedHere } from './decided.ts';
import type { TempFolder } from './tempFolder.ts';

/** Applies the changes given as JSON and stalls before the step with the given number. */
const LANDING_PROGRAM = `
  import { applyPatch } from './src/node/apply/applyPatch.ts';
  const { changes, home, stallAt } = JSON.parse(process.argv[2]);
  const beforeStep = async (path, index) => {
    if (index !== stallAt) return;
    process.stdout.write('stalled');
    await new Promise(() => setInterval(() => {}, 1000));
  };
  await applyPatch(changes, { home, beforeStep });
`;

let program: Promise<string> | undefined;

async function bundle(): Promise<string> {
  const built = await build({
    stdin: { contents: LANDING_PROGRAM, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
  });
  return built.outputFiles[0]?.text ?? '';
}

export const oldTree = Object.fromEntries(
  Array.from({ length: 50 }, (_, index) => [`f${index}.txt`, `old ${index}\r\n`]),
);
export const newTree = Object.fromEntries(
  Object.entries(oldTree).flatMap(([name, text], index) => {
    if (index % 4 === 1) return [];
    return index % 4 === 0 ? [[`moved/${name}`, `new ${text}`]] : [[name, `new ${text}`]];
  }),
);

function changesIn(folder: TempFolder): DecidedChange[] {
  return Object.entries(oldTree).map(([name, before], index): DecidedChange => {
    const path = folder.at('work', name);
    if (index % 4 === 1) return decidedHere({ kind: 'delete', path, before });
    const movedTo = index % 4 === 0 ? folder.at('work', 'moved', name) : null;
    return decidedHere({ kind: 'update', path, before, after: `new ${before}`, hunks: [], movedTo, movedOver: null });
  });
}

export function write(folder: TempFolder, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(folder.at('work', name)), { recursive: true });
    writeFileSync(folder.at('work', name), text);
  }
}

export function tree(folder: TempFolder): Record<string, string> {
  const root = folder.at('work');
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.map((path) => [relative(root, path), readFileSync(path, 'utf8')]));
}

export async function stalled(folder: TempFolder, stallAt: number): Promise<ChildProcess> {
  writeFileSync(folder.at('land.mjs'), await (program ??= bundle()));
  const story = JSON.stringify({ changes: changesIn(folder), home: folder.at('home'), stallAt });
  const child = spawn(process.execPath, [folder.at('land.mjs'), story], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

/** kill -9 while a patch of 50 files is applied. */
export async function crash(folder: TempFolder, stallAt: number): Promise<void> {
  const child = await stalled(folder, stallAt);
  child.kill('SIGKILL');
  await once(child, 'exit');
}
