/** A VS Code extension that stops the extension host at a moment that a test names, so that it can be killed there. */
import { access, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeTestExtension } from './testExtension.ts';

/** Runs in VS Code's extension host, as CommonJS. */
const SOURCE = `
const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

const at = (name) => path.join(__dirname, name);
const seen = { changed: new Set(), saved: new Set(), written: new Set() };
function stopAt(event, uri) {
  if (uri.scheme !== 'file' || !vscode.workspace.getWorkspaceFolder(uri) || !fs.existsSync(at('moment.json'))) return;
  seen[event].add(uri.path);
  const moment = JSON.parse(fs.readFileSync(at('moment.json'), 'utf8'));
  if (seen[event].size < (moment[event] ?? Infinity)) return;
  fs.writeFileSync(at('reached'), '');
  // Blocks without using the processor.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
/** Saving any other file is slow. */
function dawdle(event) {
  if (!fs.existsSync(at('moment.json')) || !/[13579]\\.\\w+$/.test(event.document.uri.path)) return;
  event.waitUntil(new Promise((resolve) => setTimeout(resolve, 1200)));
}
/** VS Code reports no file that an extension writes with Node, as Tiller does with new ones. */
const { open } = fs.promises;
async function openAndReport(file, flags, ...others) {
  const opened = await open(file, flags, ...others);
  if (flags & fs.constants.O_CREAT) stopAt('written', vscode.Uri.file(fs.readlinkSync('/proc/self/fd/' + opened.fd)));
  return opened;
}
exports.activate = () => {
  fs.promises.open = openAndReport;
  vscode.workspace.onWillSaveTextDocument(dawdle);
  vscode.workspace.onDidChangeTextDocument(({ document }) => stopAt('changed', document.uri));
  vscode.workspace.onDidSaveTextDocument((document) => stopAt('saved', document.uri));
};
`;

/** Returns the folder, for VS Code to load as an extension. */
export function writeStuckHost(folder: string): Promise<string> {
  return writeTestExtension(folder, { name: 'stuck-host', activationEvents: ['*'], source: SOURCE });
}

/** `written`: with Node, not by VS Code. */
export type Moment = { readonly changed: number } | { readonly saved: number } | { readonly written: number };

/** Resolves when that many documents have been changed or saved, or files written, and the extension host is stopped. */
export async function whenStuck(folder: string, moment: Moment): Promise<void> {
  await writeFile(path.join(folder, 'moment.json'), JSON.stringify(moment));
  const isReached = () =>
    access(path.join(folder, 'reached')).then(
      () => true,
      () => false,
    );
  while (!(await isReached())) await new Promise((resolve) => setTimeout(resolve, 5));
  await forgetMoment(folder);
}

/** A moment that a failed test has not reached would stop the extension host of another one. */
export async function forgetMoment(folder: string): Promise<void> {
  await rm(path.join(folder, 'moment.json'), { force: true });
  await rm(path.join(folder, 'reached'), { force: true });
}
