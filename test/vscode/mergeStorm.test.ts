/** User and agent change different lines in the same files: the final text is known exactly. */
import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { FileChange } from '../../src/core/ports.ts';
import { type Random, randomOf } from '../support/random.ts';
import { rounds } from '../support/rounds.ts';
import { type EditorPlace, inPlace, pause, until, withSetting } from './support/editorPlace.ts';
import { say } from './support/say.ts';

const ROUNDS = rounds(6, 100);
const LINES = 20;
const FILES = ['unix.txt', 'windows.txt', 'open end.txt', 'mark.txt'] as const;

function textOf(name: string): string {
  const ending = name === 'windows.txt' ? '\r\n' : '\n';
  const lines = Array.from({ length: LINES }, (_nothing, index) => `mine ${index}:${ending}agent ${index}:`);
  return lines.join(ending) + (name === 'open end.txt' ? `${ending}end` : ending);
}

const bytesOf = (name: string) => Buffer.from((name === 'mark.txt' ? '\ufeff' : '') + textOf(name), 'utf8');

type LinesOfFiles = ReadonlyMap<string, string[]>;

function emptyLines(): LinesOfFiles {
  return new Map(FILES.map((file) => [file, Array.from({ length: LINES }, () => '')]));
}

/** A user who types, saves, opens, closes and looks about, and an agent that reads, plans and lands as the tool does. */
class Storm {
  readonly here: EditorPlace;
  readonly random: Random;
  /** The expected text after each line of its owner, by file. */
  readonly typed = emptyLines();
  readonly applied = emptyLines();
  readonly counts = { applied: 0, stale: 0, failed: 0, typed: 0 };

  constructor(here: EditorPlace, name: string) {
    this.here = here;
    this.random = randomOf(name);
  }

  async person(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await this.act();
      await pause(this.random.below(30));
    }
  }

  async act(): Promise<void> {
    const { random } = this;
    const file = random.pick(FILES);
    const dice = random.below(24);
    if (dice === 1) {
      const editor = await this.open(file);
      await editor.document.save();
      return;
    }
    if (dice === 2) return void (await vscode.workspace.saveAll(false));
    if (dice === 3) return void (await vscode.commands.executeCommand('workbench.action.nextEditor'));
    if (dice === 4) {
      await this.open(file);
      // VS Code looks itself which are saved: one that it closes unsaved loses its text here, for no question is shown.
      return void (await vscode.commands.executeCommand('workbench.action.closeUnmodifiedEditors'));
    }
    await this.type(file);
  }

  async type(file: string): Promise<void> {
    const { random } = this;
    const editor = await this.open(file);
    for (let count = 1 + random.below(4); count > 0; count--) {
      const index = random.below(LINES);
      const word = `<${++this.counts.typed}>`;
      const edit = editor.edit((builder) => {
        const line = lineOf(editor.document, `mine ${index}:`);
        builder.insert(editor.document.lineAt(line).range.end, word);
      });
      // A close that came late has taken the editor away, in the host or in the window: nothing is typed then.
      const isIn = await edit.then(undefined, (error: unknown) => {
        if (/closed editors|Illegal argument: TextEditor/.test(String(error))) return false;
        throw error;
      });
      if (isIn) this.note(this.typed, file, index, (before) => before + word);
    }
  }

  /** VS Code drops an open that a later one overtakes; the storm then opens the file again. */
  async open(file: string): Promise<vscode.TextEditor> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.here.open(file);
      } catch (error) {
        if (tries === 5 || !String(error).includes('Could NOT open editor')) throw error;
      }
    }
  }

  async apply(round: number): Promise<void> {
    const { here, random } = this;
    const index = random.below(LINES);
    const files = FILES.filter(() => !random.once(3));
    for (let plan = 0; plan <= 5; plan++) {
      const changes: FileChange[] = [];
      for (const file of files) {
        const { text } = await here.workspace.read(here.at(file));
        const after = text.replace(new RegExp(`^agent ${index}:[^\\r\\n]*`, 'm'), `agent ${index}: round ${round}`);
        changes.push(here.update(file, text, after));
      }
      const result = await here.apply(changes);
      this.counts[result.type]++;
      if (result.type === 'applied')
        for (const file of files) this.note(this.applied, file, index, () => ` round ${round}`);
      if (result.type !== 'stale') return;
    }
  }

  note(what: LinesOfFiles, file: string, index: number, change: (before: string) => string): void {
    const lines = what.get(file) ?? [];
    lines[index] = change(lines[index] ?? '');
  }

  expected(file: string): string {
    const typed = this.typed.get(file) ?? [];
    const applied = this.applied.get(file) ?? [];
    return textOf(file)
      .replace(/mine (\d+):/g, (line, index) => line + typed[Number(index)])
      .replace(/agent (\d+):/g, (line, index) => line + applied[Number(index)]);
  }
}

function lineOf(document: vscode.TextDocument, beginning: string): number {
  const lines = document.getText().split(/\r?\n/);
  return lines.findIndex((line) => line.startsWith(beginning));
}

async function story(here: EditorPlace, name: string): Promise<void> {
  const storm = new Storm(here, name);
  const over = new AbortController();
  const person = storm.person(over.signal);
  for (let round = 0; round < ROUNDS; round++) {
    await storm.apply(round);
    await pause(storm.random.below(60));
  }
  over.abort();
  await person;
  // VS Code refuses a save while it prepares one of its own.
  for (let attempt = 0; attempt < 100 && here.dirty().length > 0; attempt++) {
    await vscode.workspace.saveAll(false);
    await pause(50);
  }
  await until(() => here.dirty().length === 0, 10_000);
  say(`merge storm, ${name}: ${JSON.stringify(storm.counts)}`);
  for (const file of FILES) {
    const mark = file === 'mark.txt' ? Buffer.from('\ufeff').toString('latin1') : '';
    assert.equal(here.disk(file), mark + storm.expected(file), file);
  }
  assert.deepEqual(here.journals(), []);
  assert.ok(storm.counts.applied > 0.8 * ROUNDS);
}

const files = Object.fromEntries(FILES.map((name) => [name, bytesOf(name)]));

suite('two writers in the same files', function () {
  // One lost word in a hundred runs is a failure.
  this.retries(0);

  test(
    'end with the lines of both, with auto-save',
    inPlace(files, (here) =>
      withSetting('files.autoSaveDelay', 40, () =>
        withSetting('files.autoSave', 'afterDelay', () => story(here, 'auto-save')),
      ),
    ),
  ).timeout(60_000 + ROUNDS * 6000);

  test(
    'end with the lines of both, saved when another editor becomes active',
    inPlace(files, (here) =>
      withSetting('files.autoSave', 'onFocusChange', () => story(here, 'saved on focus change')),
    ),
  ).timeout(60_000 + ROUNDS * 6000);
});
