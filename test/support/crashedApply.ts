/** Applies a patch of many files in a process that is killed before it has finished. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import type { DecidedChange } from '../../src/core/ports.ts';
import { decidedHere } from './decided.ts';
import type { TempFolder } from './tempFolder.ts';

/**
 * The program: applies the changes of a JSON file, reports when it reaches the step with the given number, and stops
 * there if it is asked to.
 */
const APPLY_PROGRAM = `
  import { readFileSync, writeSync } from 'node:fs';
  import { applyPatch } from './src/node/apply/applyPatch.ts';
  const { changes, home, signalAt, stalls } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
  const beforeStep = (path, index) => {
    if (index !== signalAt) return;
    writeSync(1, 'there');
    if (stalls) return new Promise(() => setInterval(() => {}, 1000));
  };
  await applyPatch(changes, { home, beforeStep });
`;

let program: Promise<string> | undefined;

async function bundle(): Promise<string> {
  const built = await build({
    stdin: { contents: APPLY_PROGRAM, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
  });
  return built.outputFiles[0]?.text ?? '';
}

export type Tree = Record<string, string>;

/**
 * Returns the files before and after the patch. Of every four files the first is moved, the second is deleted, and the
 * others are changed in place.
 */
export function treesOf(count: number): readonly [old: Tree, now: Tree] {
  const old = Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}.txt`, `old ${index}\r\n`]));
  const now = Object.entries(old).flatMap(([name, text], index) => {
    if (index % 4 === 1) return [];
    return index % 4 === 0 ? [[`moved/${name}`, `new ${text}`]] : [[name, `new ${text}`]];
  });
  return [old, Object.fromEntries(now)];
}

export const [oldTree, newTree] = treesOf(50);

function changesIn(folder: TempFolder, old: Tree): DecidedChange[] {
  return Object.entries(old).map(([name, before], index): DecidedChange => {
    const path = folder.at('work', name);
    if (index % 4 === 1) return decidedHere({ kind: 'delete', path, before });
    const movedTo = index % 4 === 0 ? folder.at('work', 'moved', name) : null;
    return decidedHere({ kind: 'update', path, before, after: `new ${before}`, hunks: [], movedTo, movedOver: null });
  });
}

export function write(folder: TempFolder, files: Tree): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(folder.at('work', name)), { recursive: true });
    writeFileSync(folder.at('work', name), text);
  }
}

export function tree(folder: TempFolder): Tree {
  const root = folder.at('work');
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.map((path) => [relative(root, path), readFileSync(path, 'utf8')]));
}

interface Signal {
  /** The number of the step that the process reports. */
  readonly signalAt: number;
  /** True if the process stops at the step; otherwise it continues. */
  readonly stalls: boolean;
}

/** Starts the process. Resolves when it has reached the step or has ended. */
async function applying(folder: TempFolder, old: Tree, signal: Signal): Promise<ChildProcess> {
  writeFileSync(folder.at('apply.mjs'), await (program ??= bundle()));
  const story = { changes: changesIn(folder, old), home: folder.at('home'), ...signal };
  writeFileSync(folder.at('story.json'), JSON.stringify(story));
  const argv = [folder.at('apply.mjs'), folder.at('story.json')];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
  return child;
}

export function stalled(folder: TempFolder, stallAt: number): Promise<ChildProcess> {
  return applying(folder, oldTree, { signalAt: stallAt, stalls: true });
}

/** Kills the process with SIGKILL shortly after a step: while the patch is applied, or after it. */
export async function killedAfter(folder: TempFolder, old: Tree, step: number): Promise<void> {
  const child = await applying(folder, old, { signalAt: step, stalls: false });
  const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
  child.kill('SIGKILL');
  await ended;
}

/** Kills a process with SIGKILL while it applies a patch of 50 files. */
export async function crash(folder: TempFolder, stallAt: number): Promise<void> {
  const child = await stalled(folder, stallAt);
  child.kill('SIGKILL');
  await once(child, 'exit');
}
