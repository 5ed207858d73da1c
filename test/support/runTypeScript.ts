import { spawn } from 'node:child_process';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { folderOfRun } from './tempFolder.ts';

/** Bundles a module of the tests into a file that Node can run. It is removed when the tests are over. */
export async function bundled(module: string): Promise<string> {
  const folder = folderOfRun();
  const outfile = path.join(folder, 'process.cjs');
  const entry = path.join(import.meta.dirname, module);
  await esbuild.build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', logLevel: 'warning' });
  return outfile;
}

/** Runs a file in a separate process, to its end. */
export function runFile(file: string, args: readonly string[]): Promise<{ readonly stdout: string }> {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve({ stdout }));
  });
}
