/** Applied patches stay marked for review until the user decides, whatever edits the text meanwhile. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { processorTime } from '../support/processorTime.ts';
import { isPending, type PendingFile } from '../../src/vscode/changeReview/pendingFile.ts';
import { ReviewStorage } from '../../src/vscode/changeReview/reviewStorage.ts';
import { Reviews } from '../../src/vscode/changeReview/reviews.ts';
import { type EditorPlace, inPlace, pause, until, withSetting } from './support/editorPlace.ts';

const LINES = Array.from({ length: 12 }, (_nothing, index) => `${index + 1}`);
const BEFORE = `${LINES.join('\n')}\n`;
/** Line 2 changed, line 6 removed, a line added after 10. */
const AFTER = '1\ntwo\n3\n4\n5\n7\n8\n9\n10\n10a\n11\n12\n';

function utf16(text: string): Buffer {
  return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
}

const unseen = { turnId: 'turn', itemId: 'item', isUnseen: true };

async function applied(here: EditorPlace, path = 'a.txt'): Promise<void> {
  const result = await here.apply([here.update(path, BEFORE, AFTER)], unseen);
  assert.equal(result.type, 'applied');
}

function fileAt(here: EditorPlace, path = 'a.txt'): PendingFile {
  const file = here.reviews.at(here.uri(path));
  assert.ok(file, `${path} is not under review`);
  return file;
}

/** `3-4 for 3-4`: which lines replace which. */
function hunks(here: EditorPlace, path = 'a.txt'): string[] {
  const { text } = fileAt(here, path);
  return text.hunks.map(({ start, end, baseStart, baseEnd }) => `${start}-${end} for ${baseStart}-${baseEnd}`);
}

function base(here: EditorPlace, path = 'a.txt'): string {
  return fileAt(here, path).text.base.join('\n');
}

/** No other window shows the folder. */
const ALONE = { own: 'this window', isRunning: () => false };

const THREE = ['1-2 for 1-2', '5-5 for 5-6', '9-10 for 10-10'];

async function typeAt(here: EditorPlace, line: number, character: number, words: string): Promise<void> {
  const editor = await here.open('a.txt');
  await editor.edit((builder) => builder.insert(new vscode.Position(line, character), words));
}

async function undoHunk(here: EditorPlace, index: number, path = 'a.txt'): Promise<void> {
  const file = fileAt(here, path);
  const id = file.text.hunks[index]?.id ?? -1;
  assert.deepEqual(await here.decisions.undo([{ file, hunks: [id] }]), []);
}

function keepHunk(here: EditorPlace, index: number): void {
  const file = fileAt(here);
  here.decisions.keep([{ file, hunks: [file.text.hunks[index]?.id ?? -1] }]);
}

suite('review of an applied patch', () => {
  test(
    'marks its hunks, in an open file and in a closed one, and none of an approved patch',
    inPlace({ 'a.txt': BEFORE, 'closed.txt': BEFORE, 'agreed.txt': BEFORE }, async (here) => {
      await here.open('a.txt');
      await applied(here);
      await applied(here, 'closed.txt');
      await here.apply([here.update('agreed.txt', BEFORE, AFTER)], { turnId: 'turn', itemId: 'other' });
      assert.deepEqual([hunks(here), hunks(here, 'closed.txt')], [THREE, THREE]);
      assert.equal(here.reviews.at(here.uri('agreed.txt')), undefined);
      assert.equal(here.reviews.count, 6);
    }),
  );

  test(
    'keeps a hunk, undoes another, and what the user types meanwhile stays theirs',
    inPlace({ 'a.txt': BEFORE }, async (here) => {
      await here.open('a.txt');
      await applied(here);
      await typeAt(here, 3, 1, ' is mine\nmore of mine');
      assert.equal(base(here), BEFORE.replace('4\n', '4 is mine\nmore of mine\n'));
      keepHunk(here, 0);
      await undoHunk(here, 0);
      assert.deepEqual(hunks(here), ['11-12 for 11-11']);
      const text = '1\ntwo\n3\n4 is mine\nmore of mine\n5\n6\n7\n8\n9\n10\n10a\n11\n12\n';
      assert.equal(here.document('a.txt')?.getText(), text);
      // Undoing is one step for Ctrl+Z, and the hunk is pending again.
      assert.equal(await here.pressUndo('a.txt'), text.replace('6\n', ''));
      assert.deepEqual(hunks(here), ['6-6 for 6-7', '10-11 for 11-11']);
      assert.equal(here.decisions.unkeep(), true);
      assert.equal(hunks(here).length, 3);
    }),
  );

  test(
    'follows Ctrl+Z of the patch, and its redo',
    inPlace({ 'a.txt': BEFORE }, async (here) => {
      await here.open('a.txt');
      await applied(here);
      assert.equal(await here.pressUndo('a.txt'), BEFORE);
      assert.deepEqual(hunks(here), []);
      assert.equal(here.reviews.pending.length, 0);
      await vscode.commands.executeCommand('redo');
      assert.equal(here.document('a.txt')?.getText(), AFTER);
      assert.deepEqual(hunks(here), THREE);
      // Kept and then reverted by Ctrl+Z, nothing is pending.
      here.decisions.keep([{ file: fileAt(here), hunks: 'all' }]);
      assert.equal(await here.pressUndo('a.txt'), BEFORE);
      assert.equal(here.reviews.pending.length, 0);
    }),
  );

  test(
    'ends when the patch is undone by Undo Patch',
    inPlace({ 'a.txt': BEFORE, 'gone.txt': 'gone\n', 'old.txt': 'old\n' }, async (here) => {
      const patch = [
        here.update('a.txt', BEFORE, AFTER),
        here.add('new.txt', 'new\n'),
        here.remove('gone.txt', 'gone\n'),
        here.move('old.txt', 'moved.txt', 'old\n'),
      ];
      await here.apply(patch, unseen);
      assert.equal(here.reviews.count, 6);
      keepHunk(here, 0);
      assert.deepEqual((await here.undo.undo('item')).leftAlone, []);
      assert.equal(here.disk('a.txt'), BEFORE);
      assert.deepEqual(here.reviews.pending, []);
    }),
  );

  test(
    'leaves words of the user alone when a whole file is undone, and takes them along when the hunk is named',
    inPlace({ 'a.txt': BEFORE }, async (here) => {
      await here.open('a.txt');
      await applied(here);
      await typeAt(here, 1, 3, ', as I say');
      assert.deepEqual(await here.decisions.undo([{ file: fileAt(here), hunks: 'all' }]), []);
      assert.equal(here.document('a.txt')?.getText(), BEFORE.replace('2\n', 'two, as I say\n'));
      assert.deepEqual(hunks(here), ['1-2 for 1-2']);
      await undoHunk(here, 0);
      assert.equal(here.document('a.txt')?.getText(), BEFORE);
      assert.match(await here.pressUndo('a.txt'), /two, as I say/);
    }),
  );

  test(
    'undoes in a closed file, with its line endings, and saves a clean one',
    inPlace({ 'a.txt': BEFORE.replaceAll('\n', '\r\n') }, async (here) => {
      const [before, after] = [BEFORE, AFTER].map((text) => text.replaceAll('\n', '\r\n'));
      await here.apply([here.update('a.txt', before ?? '', after ?? '')], unseen);
      await undoHunk(here, 1);
      assert.equal(here.disk('a.txt'), after?.replace('5\r\n', '5\r\n6\r\n'));
      assert.deepEqual(await here.decisions.undo([{ file: fileAt(here), hunks: 'all' }]), []);
      assert.equal(here.disk('a.txt'), before);
      assert.deepEqual(here.dirty(), []);
      assert.equal(here.reviews.pending.length, 0);
    }),
  );

  test(
    'keeps or undoes new, moved and deleted files as a whole',
    inPlace(
      { 'old.txt': BEFORE, 'gone.txt': '\uFEFFgone\r\n', 'gone.bin': new Uint8Array([0, 255, 1]) },
      async (here) => {
        const before = here.tree();
        await here.apply(
          [
            here.add('new.txt', 'new\n'),
            here.move('old.txt', 'moved.txt', BEFORE, AFTER),
            here.remove('gone.txt', 'gone\r\n'),
            here.remove('gone.bin', null),
          ],
          unseen,
        );
        assert.deepEqual(
          here.reviews.pending.map(({ uri, story }) => `${story.type} ${uri.path.split('/').at(-1)}`),
          ['deleted gone.bin', 'deleted gone.txt', 'moved moved.txt', 'added new.txt'],
        );
        assert.deepEqual(hunks(here, 'moved.txt'), THREE);
        const all = here.reviews.pending.map((file) => ({ file, hunks: 'all' as const }));
        assert.deepEqual(await here.decisions.undo(all), []);
        assert.deepEqual(here.tree(), before);
        assert.deepEqual(here.reviews.pending, []);
      },
    ),
  );

  test(
    'does not delete a new file in which the user has written',
    inPlace({}, async (here) => {
      await here.apply([here.add('new.txt', 'new\n')], unseen);
      await here.type('new.txt', 'mine ');
      const left = await here.decisions.undo([{ file: fileAt(here, 'new.txt'), hunks: 'all' }]);
      assert.deepEqual(left, [{ path: here.at('new.txt'), reason: 'You have edited it since.' }]);
      assert.equal(here.document('new.txt')?.getText(), 'mine new\n');
    }),
  );

  test(
    'does not delete a new file in which the user has added lines at the end, in VS Code or with another program',
    inPlace({}, async (here) => {
      await here.apply(
        ['typed.txt', 'open.txt', 'closed.txt'].map((name) => here.add(name, 'new\n')),
        unseen,
      );
      const editor = await here.open('typed.txt');
      await editor.edit((builder) => builder.insert(new vscode.Position(1, 0), 'mine\n'));
      await here.open('open.txt');
      for (const name of ['open.txt', 'closed.txt']) here.write(name, 'new\nmine\n');
      await until(() => here.document('open.txt')?.lineCount === 3);
      const choices = here.reviews.pending.map((file) => ({ file, hunks: 'all' as const }));
      const left = await here.decisions.undo(choices);
      assert.deepEqual(
        left,
        ['closed.txt', 'open.txt', 'typed.txt'].map((name) => ({
          path: here.at(name),
          reason: 'You have edited it since.',
        })),
      );
      await here.document('typed.txt')?.save();
      assert.deepEqual(here.tree(), {
        'closed.txt': 'new\nmine\n',
        'open.txt': 'new\nmine\n',
        'typed.txt': 'new\nmine\n',
      });
    }),
  );

  for (const isOpen of [true, false]) {
    test(
      `undoes nothing that another program wrote in its place since (${isOpen ? 'open' : 'closed'} file)`,
      inPlace({ 'a.txt': BEFORE, 'b.txt': BEFORE }, async (here) => {
        for (const name of ['a.txt', 'b.txt']) {
          if (isOpen) await here.open(name);
          await applied(here, name);
        }
        // As a checkout of another branch would.
        const texts = { 'a.txt': 'of another\nbranch\n', 'b.txt': BEFORE.replace('4', 'four') };
        for (const [name, text] of Object.entries(texts)) here.write(name, text);
        const shows = (name: string) => here.document(name)?.getText() === here.disk(name);
        if (isOpen) await until(() => shows('a.txt') && shows('b.txt'));
        await here.decisions.undo(here.reviews.pending.map((file) => ({ file, hunks: 'all' as const })));
        assert.deepEqual(here.tree(), texts);
      }),
    );
  }

  test(
    'undoes the rest when one of the files cannot be changed',
    inPlace({ 'a.txt': BEFORE, 'old.txt': 'old\n' }, async (here) => {
      await here.apply([here.update('a.txt', BEFORE, AFTER), here.move('old.txt', 'moved.txt', 'old\n')], unseen);
      await here.type('moved.txt', 'mine ');
      const left = await here.decisions.undo(here.reviews.pending.map((file) => ({ file, hunks: 'all' })));
      assert.deepEqual(
        left.map(({ path }) => path),
        [here.at('moved.txt')],
      );
      assert.match(left[0]?.reason ?? '', /unsaved edits/);
      assert.equal(here.disk('a.txt'), BEFORE);
      assert.equal(here.document('moved.txt')?.getText(), 'mine old\n');
    }),
  );

  test(
    'has one hunk of several patches, and follows a rename of the file',
    inPlace({ 'a.txt': BEFORE }, async (here) => {
      await here.open('a.txt');
      await applied(here);
      const later = AFTER.replace('two\n', 'two\nand a half\n');
      await here.apply([here.update('a.txt', AFTER, later)], unseen);
      assert.deepEqual(hunks(here)[0], '1-3 for 1-2');
      const edit = new vscode.WorkspaceEdit();
      edit.renameFile(here.uri('a.txt'), here.uri('b.txt'));
      assert.equal(await vscode.workspace.applyEdit(edit), true);
      await until(() => here.reviews.at(here.uri('b.txt')) !== undefined);
      assert.equal(here.reviews.at(here.uri('a.txt')), undefined);
      await undoHunk(here, 0, 'b.txt');
      assert.equal(here.document('b.txt')?.getText(), AFTER.replace('two', '2'));
    }),
  );

  test(
    'is not the formatter of a save, nor what another program writes to the file',
    inPlace({ 'a.tillertest': '1\n2\n3\n4\n5\n' }, async (here) => {
      const twoSpaces = vscode.languages.registerDocumentFormattingEditProvider(
        { pattern: '**/*.tillertest' },
        {
          provideDocumentFormattingEdits: (document) => [
            vscode.TextEdit.replace(new vscode.Range(0, 0, 99, 0), document.getText().replaceAll(/^ *(?=\d)/gm, '  ')),
          ],
        },
      );
      try {
        await withSetting('editor.formatOnSave', true, async () => {
          await here.open('a.tillertest');
          await here.apply([here.update('a.tillertest', '1\n2\n3\n4\n5\n', '1\n20\n3\n4\n5\n')], unseen);
        });
      } finally {
        twoSpaces.dispose();
      }
      assert.equal(here.disk('a.tillertest'), '  1\n  20\n  3\n  4\n  5\n');
      assert.deepEqual(hunks(here, 'a.tillertest'), ['1-2 for 1-2']);
      writeFileSync(here.at('a.tillertest'), '  0\n  1\n  20\n  3\n  4\n  six\n');
      await until(() => here.document('a.tillertest')?.lineCount === 7);
      assert.deepEqual(hunks(here, 'a.tillertest'), ['2-3 for 2-3']);
      assert.equal(base(here, 'a.tillertest'), '  0\n  1\n2\n  3\n  4\n  six\n');
    }),
  );

  for (const isOpen of [true, false]) {
    test(
      `marks a UTF-16 file with CRLF in which a patch writes LF (${isOpen ? 'open' : 'closed'} file)`,
      inPlace({ 'wide.txt': utf16('1\r\n2\r\n3\r\n') }, async (here) => {
        if (isOpen) await here.open('wide.txt');
        await here.apply([here.update('wide.txt', '1\r\n2\r\n3\r\n', '1\r\ntwo\n3\r\n')], unseen);
        assert.equal(here.disk('wide.txt'), utf16('1\r\ntwo\n3\r\n').toString('latin1'));
        assert.deepEqual(hunks(here, 'wide.txt'), ['1-2 for 1-2']);
      }),
    );
  }

  test(
    'is not the trimming of blanks and of line ends by a save',
    inPlace({ 'a.txt': '1\n2\n3\n' }, async (here) => {
      await withSetting('files.trimTrailingWhitespace', true, async () => {
        await withSetting('files.trimFinalNewlines', true, async () => {
          await here.open('a.txt');
          await here.apply([here.update('a.txt', '1\n2\n3\n', '1\ntwo  \n3\nfour\t\n\n\n')], unseen);
        });
      });
      assert.equal(here.disk('a.txt'), '1\ntwo\n3\nfour\n');
      const touched = () => fileAt(here).text.hunks.map((hunk) => hunk.touched);
      assert.deepEqual(touched(), [false, false]);
      assert.deepEqual(await here.decisions.undo([{ file: fileAt(here), hunks: 'all' }]), []);
      assert.equal(here.disk('a.txt'), '1\n2\n3\n');
    }),
  );

  test(
    'marks a file that a patch deletes, although the user has deleted an earlier one of its name',
    inPlace({}, async (here) => {
      await here.apply([here.add('new.txt', 'new\n')], unseen);
      await here.open('new.txt');
      const edit = new vscode.WorkspaceEdit();
      edit.deleteFile(here.uri('new.txt'));
      assert.equal(await vscode.workspace.applyEdit(edit), true);
      await until(() => here.reviews.at(here.uri('new.txt')) === undefined);
      here.write('new.txt', 'mine\n');
      await here.apply([here.remove('new.txt', 'mine\n')], unseen);
      assert.deepEqual(
        here.reviews.pending.map(({ story }) => story.type),
        ['deleted'],
      );
    }),
  );

  test(
    'stays when the patch that deletes the file is rolled back',
    inPlace({ 'a.txt': BEFORE, 'b.txt': 'b\n' }, async (here) => {
      await here.open('a.txt');
      await applied(here);
      here.beforeFirstWrite = () => here.write('b.txt', 'of another program\n');
      const result = await here.apply([here.remove('a.txt', AFTER), here.remove('b.txt', 'b\n')], unseen);
      assert.notEqual(result.type, 'applied');
      assert.equal(here.disk('a.txt'), AFTER);
      assert.deepEqual(hunks(here), THREE);
    }),
  );

  test(
    'is restored after a reload, for the files that exist',
    inPlace({ 'a.txt': BEFORE, 'b.txt': BEFORE, 'gone.txt': 'gone\n', 'c.txt': BEFORE }, async (here) => {
      const folder = here.uri('../.review-storage');
      const storage = new ReviewStorage(folder, here.reviews, ALONE, (error) => {
        throw error;
      });
      for (const name of ['a.txt', 'b.txt', 'c.txt']) await applied(here, name);
      await here.apply([here.remove('gone.txt', 'gone\n')], unseen);
      await here.open('a.txt');
      await typeAt(here, 1, 3, '!');
      await storage.flush();
      // Meanwhile one of them is edited, and another one deleted.
      writeFileSync(here.at('b.txt'), `0\n${AFTER}`);
      await vscode.workspace.fs.delete(here.uri('c.txt'));

      const again = new Reviews((error) => {
        throw error;
      });
      const other = new ReviewStorage(folder, again, ALONE, (error) => {
        throw error;
      });
      try {
        assert.deepEqual(await other.restore(again, here.workspace), [here.at('c.txt')]);
        const lines = (path: string) => again.at(here.uri(path))?.text;
        assert.deepEqual(lines('a.txt')?.hunks, fileAt(here).text.hunks);
        assert.equal(lines('b.txt')?.base.join('\n'), `0\n${BEFORE}`);
        assert.deepEqual(
          again.pending.map(({ story }) => story.type),
          ['edited', 'edited', 'deleted'],
        );
      } finally {
        other.dispose();
        storage.dispose();
        again.dispose();
        await vscode.workspace.fs.delete(folder, { recursive: true });
      }
    }),
  );

  test(
    'is stored by each window of a folder, and a window has the marks of another one when it opens, and after that has closed',
    inPlace({ 'a.txt': BEFORE }, async (here) => {
      const folder = here.uri('../.review-storage');
      const failed = (error: unknown) => {
        throw error;
      };
      const open = new Set(['first', 'second']);
      const disposables: { dispose(): void }[] = [];
      const kept = (name: string, reviews: Reviews) => {
        const storage = new ReviewStorage(
          folder,
          reviews,
          { own: name, isRunning: (owner) => open.has(owner) },
          failed,
        );
        disposables.push(storage);
        return storage;
      };
      const reviews = () => {
        const made = new Reviews(failed);
        disposables.push(made);
        return made;
      };
      const shown = (of: Reviews) => of.at(here.uri('a.txt'))?.text.hunks.map(({ start, end }) => `${start}-${end}`);
      try {
        const first = kept('first', here.reviews);
        await here.open('a.txt');
        const half = BEFORE.replace('2\n', 'two\n');
        await here.apply([here.update('a.txt', BEFORE, half)], unseen);
        await first.flush();
        first.dispose();

        // Its own patch comes first.
        const others = reviews();
        const rest = half.replace('11\n', 'eleven\n');
        const watch = others.watchFor(unseen);
        const done = watch.edits({ uri: here.uri('a.txt'), path: here.at('a.txt') }, { before: half, after: rest });
        await (await here.open('a.txt')).edit((builder) => builder.replace(new vscode.Range(10, 0, 10, 2), 'eleven'));
        done();
        assert.deepEqual(shown(others), ['10-11']);
        const second = kept('second', others);
        assert.deepEqual(await second.restore(others, here.workspace), []);
        assert.deepEqual(shown(others), ['1-2', '10-11']);
        await second.flush();
        assert.equal(readdirSync(folder.fsPath).length, 2);

        // What both have stays one hunk, and what the first one had is decided here.
        open.delete('first');
        await until(() => readdirSync(folder.fsPath).length === 1);
        assert.deepEqual(shown(others), ['1-2', '10-11']);

        open.delete('second');
        const third = reviews();
        assert.deepEqual(await kept('third', third).restore(third, here.workspace), []);
        assert.deepEqual(shown(third), ['1-2', '10-11']);
        assert.equal(readdirSync(folder.fsPath).length, 1);
      } finally {
        for (const disposable of disposables) disposable.dispose();
        rmSync(folder.fsPath, { recursive: true, force: true });
      }
    }),
  );

  test(
    'is restored for all other files when one stored review cannot be read',
    inPlace({ 'a.txt': BEFORE, 'b.txt': BEFORE }, async (here) => {
      const folder = here.uri('../.review-storage');
      const errors: unknown[] = [];
      const storage = new ReviewStorage(folder, here.reviews, ALONE, (error) => void errors.push(error));
      const again = new Reviews((error) => void errors.push(error));
      try {
        await applied(here);
        await storage.flush();
        mkdirSync(here.uri('../.review-storage/0.json').fsPath);
        assert.deepEqual(await storage.restore(again, here.workspace), []);
        assert.deepEqual([again.pending.length, errors.length], [1, 1]);

        // A write that fails is made up for by the next one.
        const [stored = ''] = readdirSync(folder.fsPath).filter((name) => name !== '0.json');
        const place = `${folder.fsPath}/${stored}`;
        rmSync(place);
        mkdirSync(`${place}/in`, { recursive: true });
        keepHunk(here, 0);
        await storage.flush();
        assert.equal(errors.length, 2);
        rmSync(place, { recursive: true });
        await storage.flush();
        assert.ok(existsSync(place));
        assert.deepEqual(readdirSync(folder.fsPath).toSorted(), ['0.json', stored].toSorted());
      } finally {
        storage.dispose();
        again.dispose();
        rmSync(folder.fsPath, { recursive: true, force: true });
      }
    }),
  );

  test(
    'is stored when a patch is applied and when it is decided, although the user goes on typing',
    inPlace({ 'a.txt': BEFORE, 'b.txt': BEFORE }, async (here) => {
      const folder = here.uri('../.review-storage');
      const storage = new ReviewStorage(folder, here.reviews, ALONE, (error) => {
        throw error;
      });
      const written = () => (existsSync(folder.fsPath) ? readdirSync(folder.fsPath).length : 0);
      /** Types in a file under review until the condition holds; each key delays the debounced update. */
      const typingUntil = async (isSo: () => boolean) => {
        for (let keys = 0; keys < 40 && !isSo(); keys++) {
          await typeAt(here, 0, 0, 'x');
          await pause(50);
        }
        assert.ok(isSo());
      };
      try {
        await applied(here);
        await here.open('a.txt');
        await applied(here, 'b.txt');
        await typingUntil(() => written() === 2);
        here.decisions.keep([{ file: fileAt(here, 'b.txt'), hunks: 'all' }]);
        await typingUntil(() => written() === 1);
      } finally {
        storage.dispose();
        await storage.flush();
        rmSync(folder.fsPath, { recursive: true, force: true });
      }
    }),
  );

  test(
    'keeps up with a thousand hunks',
    inPlace({ 'a.txt': '' }, async (here) => {
      const long = Array.from({ length: 20_000 }, (_nothing, index) => `line ${index}`);
      const changed = long.map((line, index) => (index % 20 === 3 ? `changed ${index}` : line));
      here.write('a.txt', `${long.join('\n')}\n`);
      await here.open('a.txt');
      await until(() => here.document('a.txt')?.lineCount === 20_001);
      await here.apply([here.update('a.txt', `${long.join('\n')}\n`, `${changed.join('\n')}\n`)], unseen);
      assert.equal(fileAt(here).text.hunks.length, 1000);
      const each = processorTime(() => {
        for (let index = 0; index < 50; index++) keepHunk(here, 0);
      });
      assert.ok(each / 50 < 100, `${each / 50} ms of processor time for one Keep`);
      assert.equal(fileAt(here).text.hunks.length, 950);
      assert.deepEqual(await here.decisions.undo([{ file: fileAt(here), hunks: 'all' }]), []);
      assert.ok(!isPending(fileAt(here)));
    }),
  );
});
