/** Finds ripgrep on this machine: on the PATH, or in a VS Code that another suite has installed. */
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { findRipgrep, type TextSearchOptions } from '../../src/node/host/textSearch.ts';

const cache = path.join(homedir(), '.cache/tiller/vscode');

function fetched(): readonly string[] {
  try {
    return readdirSync(cache).map((name) => path.join(cache, name, 'node_modules/code-server/lib/vscode'));
  } catch {
    return [];
  }
}

/** The options for the installed ripgrep; `undefined` if there is none: then tests that need it are skipped. */
export const ripgrep: TextSearchOptions | undefined = [
  { searchPath: process.env['PATH'] },
  ...fetched().map((appRoot) => ({ appRoot })),
].find((options) => findRipgrep(options, []) !== undefined);
if (ripgrep === undefined) console.warn('Tests with ripgrep are left out: there is none on this machine.');
