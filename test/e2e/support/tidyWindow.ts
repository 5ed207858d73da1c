/**
 * A VS Code extension that tidies an open window for the tests of another file: with VS Code's own commands, which take a
 * tenth of what they take in the palette.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeTestExtension } from './testExtension.ts';

const REQUEST = 'request.json';
const ANSWER = 'answer.json';
const LIMIT_MS = 60_000;

/** Runs in VS Code's extension host, as CommonJS. */
const SOURCE = `
const fs = require('node:fs');
const path = require('node:path');
const { isDeepStrictEqual } = require('node:util');
const vscode = require('vscode');

const REQUEST = path.join(__dirname, '${REQUEST}');
const ANSWER = path.join(__dirname, '${ANSWER}');
const run = (command) => vscode.commands.executeCommand(command);
const tabs = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs);

/** VS Code rejects when it opens another editor at the same moment, as for a change that comes late. */
async function shown(document, attempts = 3) {
  try {
    await vscode.window.showTextDocument(document);
  } catch (error) {
    if (attempts === 1) throw error;
    await shown(document, attempts - 1);
  }
}

async function closeTabs() {
  for (const document of vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
    await shown(document);
    await run('workbench.action.files.revert');
  }
  for (let left = tabs().length; left > 0 && tabs().some(({ isDirty }) => isDirty); left--) {
    await run('workbench.action.revertAndCloseActiveEditor');
  }
  await run('workbench.action.closeAllEditors');
  if (tabs().length > 0) throw new Error('open: ' + tabs().map(({ label }) => label).join(', '));
}

async function apply(settings) {
  for (const [key, value] of Object.entries(settings)) {
    const configuration = vscode.workspace.getConfiguration();
    // VS Code sends its whole configuration at each update, also at one that changes nothing.
    if (isDeepStrictEqual(configuration.inspect(key)?.globalValue, value ?? undefined)) continue;
    await configuration.update(key, value ?? undefined, vscode.ConfigurationTarget.Global);
  }
}

async function leave() {
  await run('tiller.interrupt');
  // Otherwise the files that are written for the next test count as changes of another program.
  await apply({ 'tiller.reviewOtherPrograms': null });
  await run('tiller.review.keepAll');
  await closeTabs();
  for (const terminal of vscode.window.terminals) terminal.dispose();
  // Now and not later: files of the next test may be proposed in a notification.
  await run('notifications.clearAll');
}

async function begin(settings) {
  await apply(settings);
  await run('workbench.action.closePanel');
  await run('workbench.view.explorer');
  await run('workbench.files.action.collapseExplorerFolders');
  await run('tiller.newThread');
}

const DOES = { leave, begin, apply };
let busy = false;
async function look() {
  if (busy || !fs.existsSync(REQUEST)) return;
  busy = true;
  const answer = {};
  try {
    const request = JSON.parse(fs.readFileSync(REQUEST, 'utf8'));
    fs.rmSync(REQUEST);
    await DOES[request.what](request.settings);
  } catch (error) {
    answer.error = String(error?.stack ?? error);
  }
  busy = false;
  fs.writeFileSync(ANSWER + '.new', JSON.stringify(answer));
  fs.renameSync(ANSWER + '.new', ANSWER);
}

exports.activate = ({ subscriptions }) => {
  const watcher = fs.watch(__dirname, look);
  subscriptions.push({ dispose: () => watcher.close() });
  look();
};
`;

/** Returns the folder, for VS Code to load as an extension. */
export function writeTidy(folder: string): Promise<string> {
  return writeTestExtension(folder, { name: 'tidy', activationEvents: ['onStartupFinished'], source: SOURCE });
}

/**
 * Stops the turn, keeps the changes under review, closes all tabs without saving, and all terminals, and clears the notifications. `folder`: that of
 * the extension.
 */
export function leaveThread(folder: string): Promise<void> {
  return send(folder, { what: 'leave' });
}

/**
 * Changes settings as `getConfiguration().update` does (`null` removes one), begins a new thread, and shows the Explorer with
 * its folders collapsed.
 */
export function beginThread(folder: string, settings: Readonly<Record<string, unknown>>): Promise<void> {
  return send(folder, { what: 'begin', settings });
}

/** Changes settings in the running window, as the settings editor does; `null` removes one. */
export function applySettings(folder: string, settings: Readonly<Record<string, unknown>>): Promise<void> {
  return send(folder, { what: 'apply', settings });
}

interface Request {
  readonly what: 'leave' | 'begin' | 'apply';
  readonly settings?: Readonly<Record<string, unknown>>;
}

async function send(folder: string, request: Request): Promise<void> {
  const answer = path.join(folder, ANSWER);
  await rm(answer, { force: true });
  await writeFile(path.join(folder, `${REQUEST}.new`), JSON.stringify(request));
  await rename(path.join(folder, `${REQUEST}.new`), path.join(folder, REQUEST));
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const text = await readFile(answer, 'utf8').catch(() => null);
    if (text !== null) {
      const { error } = JSON.parse(text) as { error?: string };
      if (error !== undefined) throw new Error(`The window cannot be tidied: ${error}`);
      return;
    }
    if (Date.now() > deadline) throw new Error('The window was not tidied in time.');
    await sleep(20);
  }
}
