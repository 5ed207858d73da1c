/** The TextSearch port: ripgrep, VS Code's own or one that the user has installed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import type { TextSearch, TextSearchRequest, TextSearchResult } from '../../core/ports.ts';
import { isBelow } from '../../core/util/pathBelow.ts';

/** Below VS Code's folder, the newest layout first. `universal` has one folder for each platform. */
const PACKAGES = ['node_modules', 'node_modules.asar.unpacked'].flatMap((modules) => [
  path.join(modules, '@vscode', 'ripgrep-universal', 'bin', `${process.platform}-${process.arch}`),
  path.join(modules, '@vscode', 'ripgrep', 'bin'),
  path.join(modules, 'vscode-ripgrep', 'bin'),
]);
const PROGRAM = process.platform === 'win32' ? 'rg.exe' : 'rg';
/** In bytes: an error of ripgrep is a few lines. */
const MAX_STDERR = 4_096;

export interface TextSearchOptions {
  /** VS Code's own folder (`vscode.env.appRoot`). */
  readonly appRoot?: string | undefined;
  /** The variable PATH. */
  readonly searchPath?: string | undefined;
}

/**
 * Searches with ripgrep. `unavailable` where there is none, or it does not take the pattern; then the caller searches
 * itself.
 */
export function createTextSearch(options: TextSearchOptions): TextSearch {
  return {
    async find(request, signal) {
      signal.throwIfAborted();
      const program = findRipgrep(options, request.untrusted);
      return program === undefined ? { type: 'unavailable' } : search(program, request, signal);
    },
  };
}

/** Never one in `untrusted`: the workspace may have put a folder of its own on the PATH. */
export function findRipgrep(
  { appRoot, searchPath = '' }: TextSearchOptions,
  untrusted: readonly string[],
): string | undefined {
  const own = appRoot === undefined ? [] : PACKAGES.map((folder) => path.join(appRoot, folder));
  const found = searchPath
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder) && !untrusted.some((root) => isBelow(folder, root)));
  return [...own, ...found].map((folder) => path.join(folder, PROGRAM)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function argumentsFor({ pattern, include, neverEntered }: TextSearchRequest, name: string): readonly string[] {
  return [
    // Only .gitignore files in or below the place restrict the search.
    ...['--no-config', '--hidden', '--no-require-git', '--no-ignore-parent', '--no-ignore-dot'],
    ...['--no-ignore-exclude', '--no-ignore-global', '--no-follow'],
    ...['--files-with-matches', '--null', '--color=never', '--no-messages', '--crlf', '--engine=auto'],
    ...(include === undefined ? [] : ['--glob', include]),
    ...neverEntered.flatMap((folder) => ['--glob', `!${folder}/`]),
    ...['--regexp', pattern, '--', name],
  ];
}

function search(program: string, request: TextSearchRequest, signal: AbortSignal): Promise<TextSearchResult> {
  const isFolder = statSync(request.place, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === undefined) return Promise.resolve({ type: 'unavailable' });
  const cwd = isFolder ? request.place : path.dirname(request.place);
  const args = argumentsFor(request, isFolder ? '.' : `.${path.sep}${path.basename(request.place)}`);
  const child = spawn(program, args, {
    cwd,
    // Nothing is inherited: ripgrep reads its configuration and other programs from variables.
    env: process.platform === 'win32' ? { SYSTEMROOT: process.env['SYSTEMROOT'] } : {},
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  return collect(child, cwd, request, signal);
}

function collect(
  child: ChildProcess,
  cwd: string,
  { maxFiles, timeoutMs }: TextSearchRequest,
  signal: AbortSignal,
): Promise<TextSearchResult> {
  const files: string[] = [];
  let [rest, stderr, isComplete] = ['', '', true];
  const stop = () => child.kill('SIGKILL');
  const cut = () => {
    isComplete = false;
    stop();
  };
  const timer = setTimeout(cut, timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const names = (rest + text).split('\0');
    rest = names.pop() ?? '';
    for (const name of names) if (files.length < maxFiles) files.push(path.join(cwd, name));
    if (files.length >= maxFiles) cut();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(0, MAX_STDERR);
  });
  return new Promise((resolve, reject) => {
    const end = (isUsable: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      if (signal.aborted) reject(signal.reason);
      else resolve(isUsable ? { type: 'found', files, isComplete } : { type: 'unavailable' });
    };
    child.on('error', () => end(false));
    // 2 with a message: a pattern or a glob that it does not take; without: files that it could not read.
    child.on('close', (code) => end(!isComplete || code === 0 || code === 1 || (code === 2 && stderr === '')));
  });
}
