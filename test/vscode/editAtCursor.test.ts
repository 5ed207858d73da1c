/** "Edit at the Cursor" in the whole extension, with a scripted model over HTTP. */
import assert from 'node:assert/strict';
import { linkSync, readdirSync, symlinkSync } from 'node:fs';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { compose } from '../../src/extension/compose.ts';
import { sentenceOf } from '../../src/vscode/edits/edit.ts';
import type { EditAtCursor } from '../../src/vscode/edits/editAtCursor.ts';
import { Instructions } from '../../src/vscode/edits/editInput.ts';
import { calls, fails, hangs, type ModelScript, ModelServer, says, waits } from '../support/modelServer.ts';
import { rounds } from '../support/rounds.ts';
import { type EditorPlace, inPlace, until } from './support/editorPlace.ts';
import { LiveRegistrations } from './support/liveRegistrations.ts';
import { configure, ownHome } from './support/ownHome.ts';
import { contextOf } from './support/page.ts';
import { ScriptedUser } from './support/scriptedUser.ts';

const LINES = ['one', 'two', 'three', 'four', 'five', 'six'];
const TEXT = `${LINES.join('\n')}\n`;
const SOON = 20_000;
/** Edits in a row. */
const MANY = rounds(8, 50);
const wordAt = (at: number) => (at === 0 ? 'four' : `four ${at}`);
const hasTyped = released();

function released() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}

interface Chat {
  readonly edits: EditAtCursor;
  readonly server: ModelServer;
}

/** Changes a line of `a.txt`. */
function patch(here: EditorPlace, to = 'FOUR', from = 'four') {
  const input = `*** Begin Patch\n*** Update File: ${here.at('a.txt')}\n@@\n-${from}\n+${to}\n*** End Patch`;
  return calls('apply_patch', { input });
}

function withTiller(
  script: (here: EditorPlace) => ModelScript,
  story: (chat: Chat, here: EditorPlace, home: string) => Promise<void>,
  settings: Readonly<Record<string, unknown>> = {},
): () => Promise<void> {
  return inPlace({ 'a.txt': TEXT, '.env': 'KEY=1\n' }, async (here) => {
    using home = ownHome();
    await using server = await ModelServer.start(script(here));
    const given = {
      providers: { p: { baseUrl: server.baseUrl, wireApi: 'responses', auth: 'none' } },
      provider: 'p',
      model: 'm',
      problemsAfterPatch: 'off',
      ...settings,
    };
    await configure(given);
    const tiller = await compose(contextOf());
    try {
      await story({ edits: tiller.edits as EditAtCursor, server }, here, home.path);
    } finally {
      await tiller.dispose();
      await configure(Object.fromEntries(Object.keys(given).map((key) => [key, undefined])));
    }
  });
}

/** Asks for an edit at a line, and returns what it does. */
async function edit({ edits }: Chat, here: EditorPlace, line = 4, name = 'a.txt') {
  const editor = await here.open(name);
  editor.selection = new vscode.Selection(line - 1, 1, line - 1, 1);
  const user = new ScriptedUser({ type: 'make it loud' });
  const before = new Set(edits.all.map(({ id }) => id));
  const done = edits.ask();
  try {
    await until(() => edits.all.some(({ id }) => !before.has(id)), SOON);
  } finally {
    user.restore();
  }
  return { editor, done, shown: user.shown };
}

suite('an edit at the cursor', () => {
  test(
    'is applied in the editor, unsaved and under review, and is kept and undone like any change',
    withTiller(
      (here) => [[patch(here)], [says('Done.')], [patch(here)], [says('Done.')]],
      async (chat, here) => {
        const { editor, done, shown } = await edit(chat, here);
        await done;
        assert.deepEqual(shown, [
          `Edit at the Cursor | What to change in ${vscode.workspace.asRelativePath(here.uri('a.txt'))}, line 4`,
        ]);
        assert.equal(editor.document.getText(), TEXT.replace('four', 'FOUR'));
        assert.equal(editor.document.isDirty, true);
        assert.equal(here.disk('a.txt'), TEXT);
        const [made] = chat.edits.all;
        assert.equal(made?.state.type, 'changed');
        assert.equal(made.hunks.length, 1);
        await chat.edits.decide(made.id, 'undo');
        assert.equal(editor.document.getText(), TEXT);
        await until(() => chat.edits.all.length === 0, SOON);

        const again = await edit(chat, here);
        await again.done;
        const [kept] = chat.edits.all;
        assert.ok(kept);
        await chat.edits.decide(kept.id, 'keep');
        await until(() => chat.edits.all.length === 0, SOON);
        assert.equal(editor.document.getText(), TEXT.replace('four', 'FOUR'));
      },
    ),
  );

  test(
    'is correct, and stays at its place, while the user types elsewhere in the unsaved file',
    withTiller(
      (here) => [[waits(hasTyped.promise), patch(here)], [says('Done.')]],
      async (chat, here) => {
        await here.type('a.txt', 'zero\n');
        const { editor, done } = await edit(chat, here, 5);
        await chat.server.received(1);
        const sent = JSON.stringify(chat.server.requests[0]?.input);
        assert.match(sent, /lines=\\"5-5\\">\\nfour\\n/);
        await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), 'minus one\n'));
        await editor.edit((builder) => builder.insert(new vscode.Position(7, 3), ' and a half'));
        assert.deepEqual(chat.edits.all[0]?.lines, { first: 6, last: 6 });
        hasTyped.resolve();
        await done;
        assert.equal(editor.document.getText(), 'minus one\nzero\none\ntwo\nthree\nFOUR\nfive\nsix and a half\n');
        assert.equal(here.disk('a.txt'), TEXT);
      },
    ),
  );

  const [areBothAsked, areBothApplied] = [released(), released()];
  test(
    'owns its own change, although another one changes the same file at the same time',
    withTiller(
      (here) => (request) => {
        const sent = JSON.stringify(request.input);
        if (sent.includes('function_call_output')) return [waits(areBothApplied.promise), says('Done.')];
        const made = sent.includes('lines=\\"2-2\\"') ? patch(here, 'TWO', 'two') : patch(here, 'FIVE', 'five');
        return [waits(areBothAsked.promise), made];
      },
      async (chat, here) => {
        const first = await edit(chat, here, 2);
        const second = await edit(chat, here, 5);
        await chat.server.received(2);
        areBothAsked.resolve();
        const { document } = first.editor;
        const both = TEXT.replace('two', 'TWO').replace('five', 'FIVE');
        await until(() => document.getText() === both, SOON);
        areBothApplied.resolve();
        await Promise.all([first.done, second.done]);
        const [one, other] = chat.edits.all;
        assert.ok(one && other);
        assert.deepEqual(
          [one, other].map(({ lines, hunks }) => [lines.first, hunks.length]),
          [
            [2, 1],
            [5, 1],
          ],
        );
        await chat.edits.decide(one.id, 'undo');
        assert.equal(document.getText(), TEXT.replace('five', 'FIVE'));
        await until(() => chat.edits.all.length === 1, SOON);
        await chat.edits.decide(other.id, 'undo');
        assert.equal(document.getText(), TEXT);
        await until(() => chat.edits.all.length === 0, SOON);
      },
    ),
  );

  test(
    'is not begun when the user leaves the line: nothing is sent, stored or locked',
    withTiller(
      () => [],
      async (chat, here, home) => {
        await here.open('a.txt');
        const user = new ScriptedUser('cancel');
        try {
          await chat.edits.ask();
        } finally {
          user.restore();
        }
        assert.deepEqual([chat.edits.all, chat.server.requests], [[], []]);
        const left = readdirSync(home, { recursive: true, encoding: 'utf8' });
        assert.deepEqual(
          left.filter((name) => /\.(jsonl|lock)$/.test(name)),
          [],
        );
      },
    ),
  );

  test(
    'is stopped, and leaves nothing',
    withTiller(
      () => [[hangs()]],
      async (chat, here) => {
        const { editor, done } = await edit(chat, here);
        await chat.server.received(1);
        chat.edits.stop();
        await done;
        assert.deepEqual(chat.edits.all, []);
        assert.equal(editor.document.getText(), TEXT);
        assert.equal(editor.document.isDirty, false);
      },
    ),
  );

  test(
    'says at the place why it failed, and what the model answers instead',
    withTiller(
      () => [[fails(401)], [says('It is loud already.')]],
      async (chat, here) => {
        const { done } = await edit(chat, here);
        await done;
        const [failed] = chat.edits.all;
        assert.ok(failed);
        assert.match(sentenceOf(failed), /^The edit failed: ./);
        const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
          'vscode.executeCodeLensProvider',
          here.uri('a.txt'),
        );
        const titles = lenses.map(({ command }) => command?.title ?? '');
        assert.deepEqual(
          titles.map((title) => title.replace(/\$\([^)]*\) /, '').split(':')[0]),
          ['The edit failed', 'Try Again…', 'Open as Thread', 'Dismiss'],
        );
        assert.deepEqual([...new Set(lenses.map(({ range }) => range.start.line))], [3]);

        const user = new ScriptedUser({ type: 'really' });
        await chat.edits.retry(failed.id);
        user.restore();
        const [answered, ...others] = chat.edits.all;
        assert.ok(answered);
        assert.deepEqual(others, []);
        assert.equal(sentenceOf(answered), 'Tiller has changed nothing: It is loud already.');
        chat.edits.stop();
        assert.deepEqual(chat.edits.all, []);
      },
      { 'retry.maxAttempts': 1 },
    ),
  );

  test(
    'leaves nothing behind, many times in a row, and each is one step of Undo',
    withTiller(
      (here) =>
        Array.from({ length: MANY }, (_, at) => [[patch(here, wordAt(at + 1), wordAt(at))], [says('Done.')]]).flat(),
      async (chat, here) => {
        const { document } = await here.open('a.txt');
        const registrations = new LiveRegistrations();
        /** Documents of other tests are closed after a while. */
        const documents = () =>
          vscode.workspace.textDocuments
            .map(({ uri }) => uri)
            .filter(({ scheme, fsPath }) => scheme.startsWith('tiller') || fsPath.startsWith(here.root))
            .map(String);
        const inUse = () => ({
          registrations: registrations.count,
          tabs: here.tabs().length,
          edits: chat.edits.all.length,
          hunks: here.reviews.pending.length,
        });
        try {
          let afterFirst: ReturnType<typeof inUse> | undefined;
          let opened: readonly string[] | undefined;
          for (let at = 0; at < MANY; at++) {
            await (await edit(chat, here)).done;
            const [made] = chat.edits.all;
            assert.equal(document.lineAt(3).text, wordAt(at + 1));
            assert.ok(made, `edit ${at + 1} is not under review`);
            await chat.edits.decide(made.id, 'keep');
            await until(() => chat.edits.all.length === 0, SOON);
            // The first one registers what all of them use.
            afterFirst ??= inUse();
            opened ??= documents();
          }
          assert.deepEqual(inUse(), afterFirst);
          assert.deepEqual(
            documents().filter((one) => !opened?.includes(one)),
            [],
          );
        } finally {
          registrations.restore();
        }
        for (let at = MANY - 1; at >= 0; at--) {
          assert.equal(await here.pressUndo('a.txt'), TEXT.replace('four', wordAt(at)));
        }
        assert.equal(document.isDirty, false);
      },
    ),
  ).timeout(120_000);

  test(
    'names the files when it has changed only others',
    withTiller(
      (here) => [
        [calls('apply_patch', { input: `*** Begin Patch\n*** Add File: ${here.at('b.txt')}\n+b\n*** End Patch` })],
        [says('Done.')],
      ],
      async (chat, here) => {
        const { done } = await edit(chat, here);
        await done;
        const [made] = chat.edits.all;
        assert.match(made ? sentenceOf(made) : '', /^Tiller has changed only other files: .*b\.txt$/);
        chat.edits.stop();
        assert.deepEqual(chat.edits.all, []);
      },
    ),
  );

  test(
    'keeps Keep and Undo when it fails after its change',
    withTiller(
      (here) => [[patch(here)], [fails(401)]],
      async (chat, here) => {
        const { editor, done } = await edit(chat, here);
        await done;
        const [failed] = chat.edits.all;
        assert.equal(failed?.state.type, 'failed');
        assert.equal(failed.hunks.length, 1);
        await chat.edits.decide(failed.id, 'undo');
        assert.equal(editor.document.getText(), TEXT);
        await until(() => chat.edits.all[0]?.hunks.length === 0, SOON);
        chat.edits.stop();
      },
      { 'retry.maxAttempts': 1 },
    ),
  );

  test(
    'waits for an approval where the policy demands one, and is answered at the place',
    withTiller(
      (here) => [[patch(here)], [says('Done.')]],
      async (chat, here) => {
        const { editor, done } = await edit(chat, here);
        const progress = () => {
          const state = chat.edits.all[0]?.state;
          return state?.type === 'running' ? state.progress.type : undefined;
        };
        await until(() => progress() === 'asking', SOON);
        assert.equal(editor.document.getText(), TEXT);
        await chat.edits.answer('approved');
        await done;
        assert.equal(editor.document.getText(), TEXT.replace('four', 'FOUR'));
        // An approved patch is not under review.
        assert.deepEqual(chat.edits.all, []);
      },
      { approvalPolicy: 'untrusted' },
    ),
  );

  test(
    'sends nothing of a file that the model may not read',
    withTiller(
      () => [],
      async (chat, here) => {
        linkSync(here.at('.env'), here.at('hard.txt'));
        symlinkSync('.env', here.at('link.txt'));
        for (const name of ['.env', 'hard.txt', 'link.txt']) {
          const { done } = await edit(chat, here, 1, name);
          await done;
          const [refused] = chat.edits.all;
          assert.match(refused ? sentenceOf(refused) : '', /may not be read/);
          assert.deepEqual(chat.server.requests, []);
          chat.edits.stop();
        }
      },
    ),
  );

  test(
    'changes nothing in plan mode',
    withTiller(
      () => [],
      async (chat, here) => {
        await here.open('a.txt');
        const user = new ScriptedUser();
        await chat.edits.ask();
        user.restore();
        assert.deepEqual(user.shown, ['Plan mode changes no files. Choose another mode in the panel.']);
      },
      { planMode: true },
    ),
  );
});

suite('instructions of edits', () => {
  test('are remembered, the newest first and each once, and are stored unless the settings say no', () => {
    let stored: unknown;
    let isStored = true;
    const memento = {
      get: <Value>() => stored as Value,
      update: async (_key: string, value: unknown) => void (stored = value),
    };
    const instructions = new Instructions(memento, () => isStored);
    for (const one of ['a', 'b', 'a']) instructions.add(one);
    assert.deepEqual(instructions.recent, ['a', 'b']);
    assert.deepEqual(new Instructions(memento, () => isStored).recent, ['a', 'b']);
    isStored = false;
    instructions.add('c');
    assert.deepEqual([instructions.recent, stored], [['c', 'a', 'b'], undefined]);
  });
});
