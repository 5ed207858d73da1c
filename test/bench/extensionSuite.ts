/**
 * The suite that VS Code runs in its extension host for extension.mjs, which acts in the window as a user would
 * (extensionSteps.mjs). Writes one JSON file; times in milliseconds.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { commandsOf } from './commands.ts';
import { processorMs, type Turns, watchThread } from './hostThread.ts';

/** After the first use nothing of it is left to do. */
const SETTLED_MS = 3_000;
const CACHE_LIMIT_MS = 30_000;
const DELTAS = 20_000;

/** The language server of `floodedMs`: so many problems of a file, so often. */
const FLOOD_MS = 20;
const FLOOD_PROBLEMS = 200;
const LINES = 2_000;

/** Lets extension.mjs do a step in the window. Rejects with its error. */
async function ask<T>(step: string, given: Readonly<Record<string, unknown>> = {}): Promise<T> {
  const response = await fetch(process.env['TILLER_BENCH_STEPS'] ?? '', {
    method: 'POST',
    body: JSON.stringify({ step, ...given }),
  });
  if (!response.ok) throw new Error(`${step}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Rejects when the extension is not there, a step in the window fails, or the code cache is not written. */
export async function run(): Promise<void> {
  const [id = '', command = ''] = (process.env['TILLER_BENCH_VIEW'] ?? '').split(' ');
  const extension = vscode.extensions.getExtension(id);
  if (extension === undefined) throw new Error(`VS Code does not know ${id}.`);
  await extension.activate();
  await sleep(SETTLED_MS);
  const watch = watchThread();
  await vscode.commands.executeCommand(command);
  await sleep(SETTLED_MS);
  const firstUse = watch.end();
  const result = process.env['TILLER_BENCH_WHOLE'] ? { firstUse, ...(await whole(extension)) } : { firstUse };
  writeFileSync(process.env['TILLER_BENCH_RESULT'] ?? '', JSON.stringify(result));
}

async function whole(extension: vscode.Extension<unknown>) {
  const dist = path.join(extension.extensionPath, 'dist');
  const folder = await mkdtemp(path.join(tmpdir(), 'tiller-bench-host-'));
  try {
    await configure({ ...(await ask<Record<string, unknown>>('settings')), 'tiller.review': 'after' });
    await configure({ 'tiller.approvalPolicy': 'never', 'editor.quickSuggestions': 'off' });
    const file = vscode.Uri.file(path.join(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '', 'lines.txt'));
    const text = Array.from({ length: LINES }, (_, line) => `line ${line}\n`).join('');
    await vscode.workspace.fs.writeFile(file, Buffer.from(text));
    await vscode.window.showTextDocument(file);
    const edits = await ask<readonly number[]>('edits');
    const deltas = await msPer1000Deltas();
    const patch = await patchWhileTyping(file);
    const commands = await commandsOf(folder, path.join(dist, 'starter.js'), 250);
    await untilCached(dist);
    return { edits, deltas, patch, commands };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function configure(values: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [key, value] of Object.entries(values)) {
    await vscode.workspace.getConfiguration().update(key, value, vscode.ConfigurationTarget.Global);
  }
}

/** Processor time of this thread for a message whose answer has many pieces, less that of one with a single piece. */
async function msPer1000Deltas(): Promise<number> {
  const of = async (deltas: number) => {
    const before = processorMs();
    await ask('message', { deltas });
    return processorMs() - before;
  };
  // Code that the first message loads and compiles belongs to no delta.
  await of(1);
  const one = await of(1);
  return (((await of(DELTAS)) - one) / DELTAS) * 1000;
}

/** While the user types: the thread, and the longest time from a key to the event of its edit. */
interface Typed {
  readonly turns: Turns;
  readonly longestMs: number;
}

/** Typing in a file that a language server floods with problems, without and with a patch that is applied to it. */
async function patchWhileTyping(file: vscode.Uri): Promise<{ readonly without: Typed; readonly applied: Typed }> {
  const document = await vscode.workspace.openTextDocument(file);
  await vscode.window.showTextDocument(document);
  const problems = vscode.languages.createDiagnosticCollection('flood');
  let round = 0;
  const flood = setInterval(() => problems.set(file, manyProblems(round++)), FLOOD_MS);
  try {
    const without = await typed(document);
    const line = LINES / 2;
    const input = `*** Begin Patch\n*** Update File: ${file.fsPath}\n@@\n-line ${line}\n+LINE ${line}\n*** End Patch`;
    return { without, applied: await typed(document, input) };
  } finally {
    clearInterval(flood);
    problems.dispose();
  }
}

function manyProblems(round: number): vscode.Diagnostic[] {
  return Array.from({ length: FLOOD_PROBLEMS }, (_, line) => {
    const range = new vscode.Range(line, 0, line, 4);
    return new vscode.Diagnostic(range, `problem ${line} of check ${round}`, vscode.DiagnosticSeverity.Warning);
  });
}

async function typed(document: vscode.TextDocument, patch?: string): Promise<Typed> {
  const arrived: number[] = [];
  const listening = vscode.workspace.onDidChangeTextDocument((event) => {
    if (event.document !== document) return;
    for (const { text } of event.contentChanges) {
      if (text === 'a') arrived.push(performance.timeOrigin + performance.now());
    }
  });
  const watch = watchThread();
  try {
    const pressed = await ask<readonly number[]>('typing', patch === undefined ? {} : { patch });
    const turns = watch.end();
    if (arrived.length !== pressed.length) throw new Error(`${pressed.length} keys made ${arrived.length} edits.`);
    return { turns, longestMs: Math.max(...pressed.map((at, key) => (arrived[key] ?? 0) - at)) };
  } finally {
    watch.end();
    listening.dispose();
  }
}

/** The host writes the code cache some seconds after the first use; later starts read it. */
async function untilCached(dist: string): Promise<void> {
  const isThere = () => existsSync(dist) && readdirSync(dist).some((name) => /^compose\.js\..*\.cache$/.test(name));
  for (let waited = 0; !isThere(); waited += 100) {
    if (waited > CACHE_LIMIT_MS) throw new Error('No code cache was written.');
    await sleep(100);
  }
}
