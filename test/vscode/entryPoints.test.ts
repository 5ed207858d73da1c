/** Attachments from terminals, Source Control and the Testing view, and the commit message. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { Question } from '../../src/core/agent/askModel.ts';
import type { Attachment } from '../../src/protocol/draft.ts';
import type { UserInput } from '../../src/protocol/item.ts';
import { CommitMessage } from '../../src/vscode/entryPoints/commitMessage.ts';
import { type EntryPointDeps, EntryPoints } from '../../src/vscode/entryPoints/entryPoints.ts';
import { mentionOfLines } from '../../src/vscode/mentions/editorPlaces.ts';
import type { Repository } from '../../src/vscode/workspace/gitChanges.ts';
import { type EditorPlace, inPlace, until } from './support/editorPlace.ts';
import { makeRepository, repositoryAt } from './support/gitRepository.ts';
import { refusesEnv } from './support/refusals.ts';
import { type Answer, ScriptedUser } from './support/scriptedUser.ts';

const SECRET = 'sesame-1234';

interface Entry {
  readonly points: EntryPoints;
  readonly added: Attachment[];
  readonly files: string[];
  readonly sent: (readonly UserInput[])[];
  /** Messages shown to the user. */
  readonly shown: readonly string[];
  failed: ReturnType<EntryPointDeps['failedCommand']>;
}

/** Runs the story in a repository with changed files: a.txt, .env and new.txt. */
function withEntry(story: (entry: Entry, here: EditorPlace) => Promise<void>): () => Promise<void> {
  return inPlace({}, async (here) => {
    const repository = repositoryAt(makeRepository(here));
    const user = new ScriptedUser();
    const added: Attachment[] = [];
    const files: string[] = [];
    const sent: (readonly UserInput[])[] = [];
    const points = new EntryPoints({
      refusals: refusesEnv,
      insert: async (attachments) => void added.push(...attachments),
      attachFiles: async (uris) => void files.push(...uris.map(({ fsPath }) => fsPath)),
      failedCommand: () => entry.failed,
      redact: async (text, cwds) => text.replaceAll(SECRET, `[hidden: ${cwds.join()}]`),
      mentionOf: mentionOfLines,
      send: async (input) => void sent.push(input),
      repositories: () => [repository],
    });
    const entry: Entry = { points, added, files, sent, shown: user.shown, failed: undefined };
    try {
      await story(entry, here);
    } finally {
      user.restore();
    }
  });
}

const rows = (here: EditorPlace, ...names: string[]) => names.map((name) => ({ resourceUri: here.uri(name) }));
const textsOf = (added: readonly Attachment[]) =>
  added.map(({ part }) => (part.type === 'mention' ? (part.text ?? '') : ''));

suite('changes in Source Control', () => {
  test(
    'are attached as a difference, a new file whole, and one that the model may not read not at all',
    withEntry(async ({ points, added, files, shown }, here) => {
      await points.addChanges(rows(here, 'a.txt', 'new.txt', '.env'));
      const [diff = ''] = textsOf(added);
      assert.match(diff, /^diff --git a\/a\.txt b\/a\.txt[\s\S]*\n\+three$/);
      assert.equal(added.length, 1);
      assert.deepEqual(files, [here.at('new.txt')]);
      assert.deepEqual(shown, ['.env may not be read']);
    }),
  );

  test(
    'of the palette are those of the open file',
    withEntry(async ({ points, added, shown }, here) => {
      await here.open('a.txt');
      await points.addChanges([]);
      assert.equal(added.length, 1);
      execFileSync('git', ['checkout', '-q', '--', 'a.txt'], { cwd: here.root });
      await points.addChanges([]);
      assert.equal(added.length, 1);
      assert.deepEqual(shown, ['Git has no changes there.']);
    }),
  );
});

suite('what a terminal shows', () => {
  test('is attached where it is selected, and the clipboard has its text afterwards', async () => {
    const printed = new vscode.EventEmitter<string>();
    let isOpen = false;
    const pty = { onDidWrite: printed.event, open: () => void (isOpen = true), close: () => {} };
    const terminal = vscode.window.createTerminal({ name: 'prints', pty });
    const run = withEntry(async ({ points, added, shown }) => {
      terminal.show();
      await until(() => isOpen && vscode.window.activeTerminal === terminal, 20_000);
      printed.fire(`first ${SECRET}\r\nsecond line`);
      await vscode.env.clipboard.writeText('mine');
      await points.addTerminalSelection();
      assert.deepEqual([added, shown], [[], ['Select text in a terminal first.']]);
      const selected = async () => {
        await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
        await points.addTerminalSelection();
        return textsOf(added).some((text) => text.includes('second line'));
      };
      for (let attempt = 0; attempt < 50 && !(await selected()); attempt++);
      assert.match(textsOf(added).at(-1) ?? '', /first \[hidden: \]\nsecond line/);
      assert.equal(await vscode.env.clipboard.readText(), 'mine');
    });
    try {
      await run();
    } finally {
      terminal.dispose();
      printed.dispose();
    }
  });

  test(
    'of a failed command is attached with its output',
    withEntry(async (entry) => {
      await entry.points.addFailedCommand();
      assert.match(entry.shown[0] ?? '', /^No command has failed/);
      const command = `npm test ${SECRET}`;
      entry.failed = { command, text: `$ ${command}\nno\n(exit code 1)`, cwds: ['/work'] };
      await entry.points.addFailedCommand();
      const [attached] = entry.added;
      assert.deepEqual(attached?.part.type === 'mention' && [attached.part.kind, attached.part.name], [
        'terminal',
        'failed: npm test [hidden: /work]',
      ]);
      assert.deepEqual(textsOf(entry.added), ['$ npm test [hidden: /work]\nno\n(exit code 1)']);
    }),
  );
});

suite('Fix Failing Test', () => {
  /** A test of a controller, as the Testing view passes it. */
  async function withTest(file: vscode.Uri, story: (item: vscode.TestItem) => Promise<void>): Promise<void> {
    const controller = vscode.tests.createTestController('fake', 'Fake');
    try {
      const outer = controller.createTestItem('suite', 'adds', file);
      const inner = controller.createTestItem('case', 'two numbers', file);
      inner.range = new vscode.Range(1, 0, 2, 3);
      controller.items.add(outer);
      outer.children.add(inner);
      await story(inner);
    } finally {
      controller.dispose();
    }
  }

  test(
    'sends a test with its lines, and a failure with what the run says',
    withEntry(async ({ points, sent }, here) =>
      withTest(here.uri('a.txt'), async (item) => {
        await points.fixTest(item);
        const message = new vscode.TestMessage('not equal');
        message.expectedOutput = '2';
        message.actualOutput = '3';
        await points.fixTest({ test: item, message });
        const name = vscode.workspace.asRelativePath(here.uri('a.txt'));
        const lines = { type: 'mention', kind: 'selection', name: `${name}:2-3`, path: here.at('a.txt') };
        const asks = 'Fix this failing test: adds › two numbers';
        assert.deepEqual(sent, [
          [
            { type: 'text', text: asks },
            { ...lines, lines: { first: 2, last: 3 } },
          ],
          [
            { type: 'text', text: `${asks}\n\nnot equal\nExpected:\n2\nActual:\n3` },
            { ...lines, lines: { first: 2, last: 3 } },
          ],
        ]);
      }),
    ),
  );

  test(
    'sends nothing of a file that the model may not read, and without a test the last failed command',
    withEntry(async (entry, here) => {
      await withTest(here.uri('.env'), (item) => entry.points.fixTest(item));
      await entry.points.fixTest(undefined);
      assert.deepEqual(entry.sent, []);
      assert.deepEqual(entry.shown, [
        '.env may not be read',
        'Choose a test in the Testing view, or run the tests in a terminal first.',
      ]);
      entry.failed = { command: 'npm test', text: `$ npm test\nno ${SECRET}`, cwds: [] };
      await entry.points.fixTest(undefined);
      assert.equal(entry.sent.length, 1);
      assert.ok(JSON.stringify(entry.sent).includes('$ npm test\\nno [hidden: ]'));
    }),
  );
});

interface Commit {
  readonly commit: CommitMessage;
  readonly repository: Repository;
  readonly asked: Question[];
  readonly user: ScriptedUser;
}

function withCommit(
  {
    answer,
    answers = [],
  }: { answer: (repository: Repository, signal: AbortSignal) => Promise<string>; answers?: readonly Answer[] },
  story: (commit: Commit, here: EditorPlace) => Promise<void>,
): () => Promise<void> {
  return inPlace({}, async (here) => {
    const repository = repositoryAt(makeRepository(here));
    const asked: Question[] = [];
    const user = new ScriptedUser(...answers);
    const commit = new CommitMessage({
      refusals: refusesEnv,
      hasModel: async () => true,
      ask: async (question, signal) => {
        asked.push(question);
        return answer(repository, signal);
      },
      askInPanel: async () => {},
      report: () => {},
      repositories: () => [repository],
    });
    try {
      await story({ commit, repository, asked, user }, here);
    } finally {
      user.restore();
    }
  });
}

suite('a commit message', () => {
  test(
    'is written from what is staged, else from all changes, without files that the model may not read',
    withCommit({ answer: async () => '```\nCount to three\n```' }, async ({ commit, repository, asked }, here) => {
      await commit.write({ rootUri: repository.rootUri });
      assert.equal(repository.inputBox.value, 'Count to three');
      const [all] = asked;
      assert.match(all?.text ?? '', /^Recent messages:\nAdd two\nBegin\n\nChanges:\n/);
      assert.match(all?.text ?? '', /\n\+three$/);
      assert.ok(!all?.text.includes('secret'));
      execFileSync('git', ['add', 'new.txt'], { cwd: here.root });
      repository.inputBox.value = '';
      const staged = repositoryAt(repository.rootUri);
      const again = new CommitMessage({
        refusals: refusesEnv,
        hasModel: async () => true,
        ask: async (question) => (asked.push(question), 'Add it'),
        askInPanel: async () => {},
        report: () => {},
        repositories: () => [staged],
      });
      await again.write(undefined);
      assert.match(asked[1]?.text ?? '', /Changed files:\nnew\.txt\n[\s\S]*\+new$/);
    }),
  );

  test(
    'replaces what the user has begun with a way back',
    withCommit({ answer: async () => 'Count to three', answers: [{ button: 'Restore Mine' }] }, async (all) => {
      const { commit, repository, asked, user } = all;
      repository.inputBox.value = 'count';
      await commit.write(undefined);
      assert.match(asked[0]?.text ?? '', /keep what it says:\ncount\n/);
      assert.deepEqual(user.shown, ['Your commit message was replaced.']);
      await until(() => repository.inputBox.value === 'count', 20_000);
    }),
  );

  test(
    'is written again while the notification of the one before is open',
    withCommit({ answer: async () => 'Count to three' }, async ({ commit, repository, asked }) => {
      // Stays open.
      Object.assign(vscode.window, { showInformationMessage: () => new Promise(() => {}) });
      repository.inputBox.value = 'count';
      await commit.write(undefined);
      assert.equal(repository.inputBox.value, 'Count to three');
      await commit.write(undefined);
      assert.equal(asked.length, 2);
    }),
  );

  test(
    'does not replace what the user has typed since',
    withCommit(
      {
        answer: async (repository) => {
          repository.inputBox.value = 'typed';
          return 'Count to three';
        },
      },
      async ({ commit, repository, user }) => {
        await commit.write(undefined);
        assert.deepEqual(user.shown, ['You have changed the commit message since. Replace it? “Count to three”']);
        assert.equal(repository.inputBox.value, 'typed');
      },
    ),
  );

  test(
    'is stopped by the same button, and a failure is shown',
    withCommit(
      {
        answer: (_repository, signal) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      },
      async ({ commit, repository, asked, user }) => {
        const writing = commit.write(undefined);
        await until(() => asked.length === 1, 20_000);
        await commit.write(undefined);
        await writing;
        assert.deepEqual([repository.inputBox.value, user.shown], ['', []]);
      },
    ),
  );

  test(
    'says why it was not written',
    withCommit({ answer: async () => Promise.reject(new Error('no server')) }, async ({ commit, user }) => {
      await commit.write(undefined);
      assert.deepEqual(user.shown, ['The commit message was not written: no server']);
    }),
  );
});
