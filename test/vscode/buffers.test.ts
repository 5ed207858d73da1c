import assert from 'node:assert/strict';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { ApplyResult, FileChange } from '../../src/core/ports.ts';
import { randomOf } from '../support/random.ts';
import { rounds } from '../support/rounds.ts';
import { type EditorPlace, inPlace, pause, withSetting } from './support/editorPlace.ts';
import { say } from './support/say.ts';

/** Landings of a storm that are meant to succeed. */
const STORM_ROUNDS = rounds(6, 150);
const HOT = 'hot.txt';
const NOT_RESTORED = 'not restored: ';

/** Takes VS Code some time to write. */
const LONG = 'line\n'.repeat(40_000);

/** Types during saves, each time a little later or earlier, until a save has begun to write before the last word. */
async function typedWhileSaved(here: EditorPlace, path: string): Promise<vscode.TextDocument> {
  const { document, edit } = await here.open(path);
  let delay = 20;
  for (let attempt = 1; attempt <= 60; attempt++) {
    await edit((builder) => builder.insert(new vscode.Position(0, 0), 'before '));
    const saving = document.save();
    await pause(delay);
    await edit((builder) => builder.insert(new vscode.Position(0, 0), `during ${attempt} `));
    const isSaved = await saving;
    const isOnDisk = here.disk(path).includes(`during ${attempt} `);
    if (!isSaved && !isOnDisk && !document.isDirty) return document;
    delay = Math.max(0, delay + (isOnDisk ? 5 : -3));
  }
  throw new Error('no save was slow enough');
}

const messageOf = (result: ApplyResult) => (result.type === 'failed' ? result.message : result.type);

suite('reading', () => {
  test(
    'gives what the user sees, saved or not',
    inPlace({ 'a.txt': 'a\n', 'b.txt': 'b\r\nc\n' }, async (here) => {
      assert.deepEqual(await here.workspace.read(here.at('a.txt')), { text: 'a\n', source: 'disk', dirty: false });
      await here.type('a.txt', 'mine ');
      assert.deepEqual(await here.workspace.read(here.at('a.txt')), {
        text: 'mine a\n',
        source: 'buffer',
        dirty: true,
      });
      await here.open('b.txt');
      assert.deepEqual(await here.workspace.read(here.at('b.txt')), {
        text: 'b\r\nc\n',
        source: 'buffer',
        dirty: false,
      });
    }),
  );

  test(
    'finds unsaved text by every name of the file, and in an untitled document',
    inPlace({ 'real/a.txt': 'a\n' }, async (here) => {
      symlinkSync('real/a.txt', here.at('link.txt'));
      await here.type('link.txt', 'mine ');
      assert.equal((await here.workspace.read(here.at('real/a.txt'))).text, 'mine a\n');
      const untitled = await vscode.workspace.openTextDocument({ content: 'draft\n' });
      await vscode.window.showTextDocument(untitled, { preview: false });
      assert.equal((await here.workspace.read(here.at(`untitled:${untitled.uri.path}`))).text, 'draft\n');
    }),
  );

  test(
    'lists and describes',
    inPlace({ 'folder/b.txt': 'b', 'folder/a.txt': 'aa' }, async (here) => {
      symlinkSync('a.txt', here.at('folder/link'));
      assert.deepEqual(await here.workspace.list(here.at('folder')), [
        { name: 'a.txt', type: 'file' },
        { name: 'b.txt', type: 'file' },
        { name: 'link', type: 'symbolic_link' },
      ]);
      const stat = await here.workspace.stat(here.at('folder/link'));
      assert.deepEqual([stat?.type, stat?.symbolicLink, stat?.size], ['file', true, 2]);
      assert.equal(await here.workspace.stat(here.at('nothing')), undefined);
      const tooLarge = here.workspace.readBytes(here.at('folder/a.txt'), { maxBytes: 1 });
      await assert.rejects(tooLarge, { code: 'too_large' });
    }),
  );
});

suite('unsaved edits', () => {
  test(
    'made while VS Code saves the file are seen, and stay, although VS Code calls the document clean',
    inPlace({ 'a.txt': LONG }, async (here) => {
      const document = await typedWhileSaved(here, 'a.txt');
      const text = document.getText();
      assert.deepEqual(await here.workspace.read(here.at('a.txt')), { text, source: 'buffer', dirty: true });
      const result = await here.apply([here.update('a.txt', text, `${text}end\n`)]);
      assert.deepEqual(result, {
        type: 'applied',
        files: [{ path: here.at('a.txt'), saved: false, reformatted: false }],
      });
      assert.equal(here.document('a.txt')?.getText(), `${text}end\n`);
      assert.notEqual(here.disk('a.txt'), text);
    }),
  );

  test(
    'stay, stay unsaved, and the patch is applied beside them',
    inPlace({ 'a.txt': '1\n2\n3\n' }, async (here) => {
      await here.type('a.txt', 'mine ');
      const { text } = await here.workspace.read(here.at('a.txt'));
      const result = await here.apply([here.update('a.txt', text, 'mine 1\n2\nthree\n')]);
      assert.deepEqual(result, {
        type: 'applied',
        files: [{ path: here.at('a.txt'), saved: false, reformatted: false }],
      });
      assert.equal(here.document('a.txt')?.getText(), 'mine 1\n2\nthree\n');
      assert.equal(here.disk('a.txt'), '1\n2\n3\n');
      assert.equal(await here.pressUndo('a.txt'), 'mine 1\n2\n3\n');
    }),
  );

  test(
    'are saved with the patch when the user wants that before a command, and then no longer counted',
    inPlace({ 'a.txt': '1\n2\n', 'b.txt': 'b\n' }, async (here) => {
      await here.type('a.txt', 'mine ');
      await here.apply([here.update('a.txt', 'mine 1\n2\n', 'mine 1\ntwo\n'), here.update('b.txt', 'b\n', 'B\n')]);
      assert.deepEqual(here.workspace.unsavedFiles(), [here.at('a.txt')]);
      assert.deepEqual(await here.workspace.save([here.at('a.txt')]), []);
      assert.equal(here.disk('a.txt'), 'mine 1\ntwo\n');
      assert.deepEqual(here.workspace.unsavedFiles(), []);
    }),
  );

  test(
    'made through a link get the patch in their document',
    inPlace({ 'real.txt': '1\n2\n' }, async (here) => {
      symlinkSync('real.txt', here.at('link.txt'));
      await here.type('link.txt', 'mine ');
      const result = await here.apply([here.update('real.txt', 'mine 1\n2\n', 'mine 1\ntwo\n')]);
      assert.deepEqual(result.type === 'applied' && result.files.map(({ saved }) => saved), [false]);
      assert.equal(here.document('link.txt')?.getText(), 'mine 1\ntwo\n');
      assert.equal(here.disk('real.txt'), '1\n2\n');
    }),
  );

  test(
    'are not deleted, moved or overwritten, by any name of the file',
    inPlace({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, async (here) => {
      symlinkSync('a.txt', here.at('link.txt'));
      await here.type('a.txt', 'mine ');
      assert.match(messageOf(await here.apply([here.remove('a.txt', 'mine a\n')])), /unsaved edits .* not deleted/);
      assert.match(
        messageOf(await here.apply([here.move('a.txt', 'c.txt', 'mine a\n')])),
        /unsaved edits .* not moved/,
      );
      assert.match(
        messageOf(await here.apply([here.add('a.txt', 'x\n', 'mine a\n')])),
        /unsaved edits .* not overwritten/,
      );
      assert.match(messageOf(await here.apply([here.add('link.txt', 'x\n', 'mine a\n')])), /not overwritten/);
      const over = here.move('b.txt', 'a.txt', 'b\n', 'b\n', 'mine a\n');
      assert.match(messageOf(await here.apply([over])), /a\.txt has unsaved edits/);
      assert.equal(here.document('a.txt')?.getText(), 'mine a\n');
      assert.deepEqual(here.tree(), { 'a.txt': 'a\n', 'b.txt': 'b\n', 'link.txt': '-> a.txt' });
    }),
  );

  test(
    'are discarded when the user has agreed to it for that file, and restored by Undo Patch',
    inPlace({ 'over.txt': 'o\n', 'move.txt': 'm\n', 'gone.txt': 'g\n' }, async (here) => {
      for (const name of ['over.txt', 'move.txt', 'gone.txt']) await here.type(name, 'mine ');
      const agreed = [
        here.add('over.txt', 'new\n', 'mine o\n'),
        here.move('move.txt', 'moved.txt', 'mine m\n', 'mine M\n'),
        here.remove('gone.txt', 'mine g\n'),
      ].map((change) => ({ ...change, discardsUnsaved: true }));
      const result = await here.apply(agreed, { turnId: 'turn', itemId: 'item' });
      assert.deepEqual(result.type === 'applied' && result.files.map(({ saved }) => saved), [true, false, true]);
      assert.deepEqual(here.tree(), { 'over.txt': 'new\n', 'moved.txt': 'm\n' });
      assert.equal(here.document('moved.txt')?.getText(), 'mine M\n');
      assert.equal(await here.pressUndo('over.txt'), 'mine o\n');
      await vscode.commands.executeCommand('redo');
      await here.document('over.txt')?.save();
      await here.document('moved.txt')?.save();
      const report = await here.undo.undo('turn');
      assert.deepEqual(report.leftAlone, []);
      assert.deepEqual(here.tree(), { 'over.txt': 'mine o\n', 'move.txt': 'mine m\n', 'gone.txt': 'mine g\n' });
    }),
  );

  test(
    'remain without their file: deleted on disk, patched in the buffer, not saved',
    inPlace({ 'a.txt': 'a\n' }, async (here) => {
      await here.type('a.txt', 'mine ');
      rmSync(here.at('a.txt'));
      const result = await here.apply([here.update('a.txt', 'mine a\n', 'mine A\n')]);
      assert.deepEqual(result.type === 'applied' && result.files.map(({ saved }) => saved), [false]);
      assert.equal(here.document('a.txt')?.getText(), 'mine A\n');
      assert.deepEqual(here.tree(), {});
    }),
  );
});

suite('a patch that is rolled back', () => {
  const [before, after] = ['1\n2\n3\n', '1\n2\nthree\n'];

  test(
    'keeps text that is typed while its file is saved again',
    inPlace({ 'a.txt': before, 'gone.txt': 'g\n' }, async (here) => {
      const editor = await here.open('a.txt');
      here.beforeFirstWrite = () => here.write('gone.txt', 'written by another program\n');
      const typing = vscode.workspace.onWillSaveTextDocument(({ document, waitUntil }) => {
        if (document === editor.document) waitUntil(vscode.commands.executeCommand('type', { text: 'mine ' }));
      });
      try {
        const result = await here.apply([here.update('a.txt', before, after), here.remove('gone.txt', 'g\n')]);
        assert.deepEqual(result, { type: 'stale', paths: [here.at('gone.txt')] });
      } finally {
        typing.dispose();
      }
      await saved(editor.document);
      await pause(500);
      assert.equal(editor.document.getText(), `mine ${before}`);
      assert.equal(here.disk('a.txt'), `mine ${before}`);
    }),
  );

  test(
    'leaves saved what the user saved, and counts what they have undone themselves',
    inPlace({ 'a.txt': before, 'locked.txt': 'l\n' }, async (here) => {
      await here.type('a.txt', 'mine ');
      await here.open('locked.txt');
      const editor = await here.open('a.txt');
      // The second file takes the edit, shows it and loses it, which is detected 300 ms later.
      const lock = () =>
        vscode.workspace.getConfiguration('files').update('readonlyInclude', { '**/locked.txt': true }, true);
      const undone = new Promise<void>((resolve, reject) => {
        const listener = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
          if (document !== editor.document || contentChanges.length === 0) return;
          listener.dispose();
          undoAndSave(document).then(resolve, reject);
        });
      });
      await withSetting('files.readonlyInclude', {}, async () => {
        here.beforeFirstWrite = async () => lock();
        const result = await here.apply([
          here.update('a.txt', `mine ${before}`, `mine ${after}`),
          here.update('locked.txt', 'l\n', 'L\n'),
        ]);
        await undone;
        assert.match(messageOf(result), /read-only/);
        assert.deepEqual(result.type === 'failed' && result.notRestored, []);
      });
      await pause(500);
      assert.equal(editor.document.getText(), `mine ${before}`);
      assert.equal(here.disk('a.txt'), `mine ${before}`);
      assert.deepEqual(here.journals(), []);
    }),
  );
});

suite('an untitled document', () => {
  test(
    'is patched and stays unsaved; it cannot be deleted',
    inPlace({}, async (here) => {
      const untitled = await vscode.workspace.openTextDocument({ content: 'draft\n' });
      await vscode.window.showTextDocument(untitled, { preview: false });
      const name = `untitled:${untitled.uri.path}`;
      const result = await here.apply([here.update(name, 'draft\n', 'Draft\n')]);
      assert.deepEqual(result, { type: 'applied', files: [{ path: here.at(name), saved: false, reformatted: false }] });
      assert.equal(untitled.getText(), 'Draft\n');
      assert.match(messageOf(await here.apply([here.remove(name, 'Draft\n')])), /never saved/);
    }),
  );
});

suite('an open file', () => {
  test(
    'that a command has just written is patched as written',
    inPlace({ 'a.txt': 'a\n' }, async (here) => {
      await here.open('a.txt');
      here.write('a.txt', 'a\nfrom a command\n');
      const { text } = await here.workspace.read(here.at('a.txt'));
      assert.equal(text, 'a\nfrom a command\n');
      const result = await here.apply([here.update('a.txt', text, 'A\nfrom a command\n')]);
      assert.deepEqual(result.type === 'applied' && result.files.map(({ saved }) => saved), [true]);
      assert.equal(here.disk('a.txt'), 'A\nfrom a command\n');
      assert.equal(here.document('a.txt')?.isDirty, false);
    }),
  );

  test(
    'is moved with its tab, and its deletion closes the tab',
    inPlace({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, async (here) => {
      await here.open('a.txt');
      await here.open('b.txt');
      assert.equal(
        (await here.apply([here.move('a.txt', 'c.txt', 'a\n', 'A\n'), here.remove('b.txt', 'b\n')])).type,
        'applied',
      );
      assert.deepEqual(here.tabs(), ['c.txt']);
      assert.deepEqual(here.tree(), { 'c.txt': 'A\n' });
    }),
  );

  test(
    'that VS Code is saving already is saved with the patch, and reported as saved',
    inPlace({ 'a.txt': '1\n2\n' }, async (here) => {
      const editor = await here.open('a.txt');
      let own: Thenable<boolean> | undefined;
      const slow = vscode.workspace.onWillSaveTextDocument(({ waitUntil }) => waitUntil(pause(300).then(() => [])));
      // Another program saves at the moment in which the patch lands, and is not done when we want to.
      const saving = vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document === editor.document) own ??= document.save();
      });
      try {
        const result = await here.apply([here.update('a.txt', '1\n2\n', '1\ntwo\n')]);
        assert.deepEqual(result.type === 'applied' && result.files.map(({ saved }) => saved), [true]);
      } finally {
        slow.dispose();
        saving.dispose();
      }
      assert.equal(await own, true);
      assert.equal(here.disk('a.txt'), '1\ntwo\n');
    }),
  );

  test(
    'that a formatter changed on save is reported, and a formatter that hangs does not block the patch',
    inPlace({ 'a.tillertest': 'a  b\n', 'slow.tillertest': 's\n' }, async (here) => {
      const tidy = vscode.languages.registerDocumentFormattingEditProvider(
        { pattern: '**/*.tillertest' },
        {
          provideDocumentFormattingEdits: (document) => {
            if (document.fileName.includes('slow')) return new Promise<vscode.TextEdit[]>(() => {});
            const all = new vscode.Range(0, 0, document.lineCount, 0);
            return [vscode.TextEdit.replace(all, document.getText().replace(/ +/g, ' '))];
          },
        },
      );
      try {
        await withSetting('editor.formatOnSave', true, async () => {
          const result = await here.apply([here.update('a.tillertest', 'a  b\n', 'a  c\n')]);
          assert.deepEqual(result.type === 'applied' && result.files, [
            { path: here.at('a.tillertest'), saved: true, reformatted: true },
          ]);
          assert.equal(here.disk('a.tillertest'), 'a c\n');
          const slow = await here.apply([here.update('slow.tillertest', 's\n', 'S\n')]);
          assert.deepEqual(slow.type === 'applied' && slow.files.map(({ saved }) => saved), [false]);
        });
      } finally {
        tidy.dispose();
      }
    }),
  ).timeout(60_000);
});

suite('a user who keeps typing', function () {
  // One lost keystroke in a hundred runs is a lost keystroke.
  this.retries(0);

  test(
    'loses nothing while patches are applied (storm 1)',
    inPlace(stormFiles(), (here) => storm(here, 1)),
  ).timeout(60_000 + STORM_ROUNDS * 6000);

  test(
    'loses nothing while patches are applied (storm 2)',
    inPlace(stormFiles(), (here) => storm(here, 2)),
  ).timeout(60_000 + STORM_ROUNDS * 6000);

  test(
    'loses nothing with auto-save and format-on-save, either (storm 3)',
    inPlace(stormFiles(), (here) => withSavers(() => storm(here, 3))),
  ).timeout(60_000 + STORM_ROUNDS * 6000);

  test(
    'loses nothing when every other patch fails and is rolled back (storm 4)',
    inPlace(stormFiles(), (here) => withSavers(() => storm(here, 4, 2))),
  ).timeout(60_000 + STORM_ROUNDS * 6000);
});

async function withSavers(story: () => Promise<void>): Promise<void> {
  const formatter = vscode.languages.registerDocumentFormattingEditProvider(
    { pattern: `**/${HOT}` },
    { provideDocumentFormattingEdits: collapseBlanks },
  );
  try {
    await withSetting('editor.formatOnSave', true, () =>
      withSetting('files.autoSaveDelay', 60, () => withSetting('files.autoSave', 'afterDelay', story)),
    );
  } finally {
    formatter.dispose();
  }
}

async function undoAndSave(document: vscode.TextDocument): Promise<void> {
  await vscode.commands.executeCommand('undo');
  await saved(document);
}

/** VS Code refuses a save while it prepares one of its own (auto-save); a second Ctrl+S works. */
async function saved(document: vscode.TextDocument): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await document.save()) return;
    await pause(50);
  }
  const { isDirty, isClosed, uri } = document;
  const isOnDisk = readFileSync(uri.fsPath, 'utf8') === document.getText();
  assert.fail(`the file cannot be saved (${JSON.stringify({ isDirty, isClosed, isOnDisk })})`);
}

function collapseBlanks(document: vscode.TextDocument): vscode.TextEdit[] {
  return [...document.getText().matchAll(/ {2,}/g)].map(({ index, 0: blanks }) =>
    vscode.TextEdit.replace(
      new vscode.Range(document.positionAt(index), document.positionAt(index + blanks.length)),
      ' ',
    ),
  );
}

function stormFiles(): Record<string, string> {
  const text = Array.from({ length: 30 }, (_nothing, index) => `mine ${index}:\nagent ${index}:\n`).join('');
  return { [HOT]: text, 'seen.txt': text, 'closed.txt': text };
}

/**
 * A user types, undoes, saves and moves about in one file while patches of three files are applied to it; of every
 * `failsEvery` patches one fails at its last step, when the texts are in the buffers.
 */
async function storm(here: EditorPlace, number: number, failsEvery = Number.POSITIVE_INFINITY): Promise<void> {
  const random = randomOf(`storm ${number}`);
  await here.open('seen.txt');
  const editor = await here.open(HOT);
  const lost: string[] = [];
  let text = editor.document.getText();
  const watcher = vscode.workspace.onDidChangeTextDocument(({ document, reason }) => {
    if (document !== editor.document) return;
    const now = document.getText();
    // Only the user's own undo and redo may take away what the user typed.
    if (reason === undefined) lost.push(...typedIn(text).filter((word) => !now.includes(word)));
    text = now;
  });
  let typed = 0;
  const over = new AbortController();
  const person = async () => {
    while (!over.signal.aborted) {
      const dice = random.below(20);
      if (dice === 0) await vscode.commands.executeCommand('undo');
      else if (dice === 1) await vscode.commands.executeCommand('redo');
      else if (dice === 2) await editor.document.save();
      else if (dice < 6) {
        const line = 2 * random.below(30);
        editor.selection = new vscode.Selection(line, 500, line, 500);
      } else await vscode.commands.executeCommand('type', { text: `<${++typed}>` });
      await pause(random.below(25));
    }
  };
  const typing = person();
  const results: string[] = [];
  const count = Number.isFinite(failsEvery) ? 2 * STORM_ROUNDS : STORM_ROUNDS;
  for (let round = 0; round < count; round++) {
    const isToFail = round % failsEvery === failsEvery - 1;
    results.push(await (isToFail ? failRound : landRound)(here, round, random.below(30)));
    await pause(random.below(40));
  }
  over.abort();
  await typing;
  watcher.dispose();
  assert.deepEqual(lost, []);
  const applied = results.filter((type) => type === 'applied').length;
  const meantToFail = Math.floor(count / failsEvery);
  say(`storm ${number}: ${applied} of ${count - meantToFail} patches landed, ${typed} words typed`);
  if (applied < count) say(results.filter((type) => type !== 'applied').join('\n'));
  assert.ok(applied > 0.8 * (count - meantToFail), results.join(' '));
  for (const name of ['seen.txt', 'closed.txt']) {
    assert.equal(/round \d/.test(here.disk(name)), true);
  }
  await saved(editor.document);
  assert.equal(here.disk(HOT), editor.document.getText());
  // Put back what can be; where the user's own undo stands in the way, the landing says so and keeps the images.
  const calledOff = results.filter((result) => result.startsWith(NOT_RESTORED));
  for (const result of calledOff) assert.equal(result, NOT_RESTORED + here.at(HOT));
  assert.deepEqual(
    here.journals().map((name) => name.replace(/^.*\./, '.')),
    calledOff.map(() => '.kept'),
  );
}

/** Reads, plans and applies as the tool does, with up to five new plans. */
async function landRound(here: EditorPlace, round: number, index: number): Promise<string> {
  let type = 'stale';
  for (let plan = 0; plan <= 5 && type === 'stale'; plan++) {
    const result = await here.apply(await stormChanges(here, round, index));
    type = result.type;
    if (result.type === 'failed') return failureOf(result);
  }
  return type;
}

/** The file that is moved last is another one by then. */
async function failRound(here: EditorPlace, round: number, index: number): Promise<string> {
  here.write('gone.txt', 'g\n');
  here.beforeFirstWrite = () => here.write('gone.txt', 'written by another program\n');
  const result = await here.apply([...(await stormChanges(here, round, index)), here.remove('gone.txt', 'g\n')]);
  here.beforeFirstWrite = () => {};
  return result.type === 'failed' ? failureOf(result) : result.type;
}

async function stormChanges(here: EditorPlace, round: number, index: number): Promise<FileChange[]> {
  const changes = await Promise.all(
    [HOT, 'seen.txt', 'closed.txt'].map(async (name) => {
      const { text } = await here.workspace.read(here.at(name));
      const after = text.replace(new RegExp(`^agent ${index}:.*$`, 'm'), `agent ${index}:  round ${round}`);
      return here.update(name, text, after);
    }),
  );
  return changes.filter((change) => change.kind === 'update' && change.hunks.length > 0);
}

function failureOf(result: Extract<ApplyResult, { type: 'failed' }>): string {
  return result.notRestored.length === 0 ? result.message : NOT_RESTORED + result.notRestored.join();
}

function typedIn(text: string): string[] {
  return text.match(/<\d+>/g) ?? [];
}
