import { spawn } from 'node:child_process';
import { copyFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { buildCli, builtForTests } from '../../scripts/build.mjs';
import { folderOfRun } from './tempFolder.ts';

let built: Promise<string> | undefined;

/**
 * Resolves with the path of `cli.js`, which is built once for this run of the tests, or copied from the build of `npm
 * test`.
 */
export function builtCli(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  const outdir = folderOfRun();
  if (builtForTests === undefined) await buildCli({ outdir });
  else await copyBundles(builtForTests, outdir);
  return path.join(outdir, 'cli.js');
}

/**
 * Copies the bundles, but not the packages beside them: without these the command line has no terminals, as after
 * `buildCli`.
 */
async function copyBundles(from: string, to: string): Promise<void> {
  const names = (await readdir(from)).filter((name) => name.endsWith('.js'));
  await Promise.all(names.map((name) => copyFile(path.join(from, name), path.join(to, name))));
}

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd?: string;
  readonly home: string;
  /** The input of the process, which is closed after it; by default empty. */
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs `tiller` in a separate process. Resolves when the process has ended. */
export async function runCli(args: readonly string[], options: CliOptions): Promise<CliRun> {
  const child = await startCli(args, options);
  child.stdin.end(options.stdin ?? '');
  return child.ended;
}

/** Starts `tiller` in a separate process; `ended` resolves with the result. */
export async function startCli(args: readonly string[], options: CliOptions) {
  const child = spawn(process.execPath, [await builtCli(), ...args], {
    cwd: options.cwd ?? options.home,
    env: { PATH: process.env.PATH, HOME: options.home, TILLER_HOME: path.join(options.home, 'tiller'), ...options.env },
  });
  // A process that ends without reading its input reports the reason on stderr.
  child.stdin.on('error', () => {});
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const ended = new Promise<CliRun>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...output }));
  });
  return {
    pid: child.pid,
    stdin: child.stdin,
    stdout: child.stdout,
    ended,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    output,
  };
}
