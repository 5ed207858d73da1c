/** A file with secrets under the name of a link: what the features of VS Code send to a model contains nothing of it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, symlinkSync } from 'node:fs';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { Attachment } from '../../src/protocol/draft.ts';
import type { UserInput } from '../../src/protocol/item.ts';
import { LineComments } from '../../src/vscode/comments/lineComments.ts';
import { EntryPoints } from '../../src/vscode/entryPoints/entryPoints.ts';
import { ProblemActions } from '../../src/vscode/entryPoints/problemActions.ts';
import { mentionOfLines } from '../../src/vscode/mentions/editorPlaces.ts';
import { problemText } from '../../src/vscode/mentions/problems.ts';
import {
  changesIn,
  changesSince,
  changesToCommit,
  changeText,
  type Repository,
} from '../../src/vscode/workspace/gitChanges.ts';
import { type EditorPlace, inPlace } from './support/editorPlace.ts';
import { EmittedThread } from './support/emittedThread.ts';
import { repositoryAt } from './support/gitRepository.ts';
import { refusalsIn } from './support/refusals.ts';
import { ScriptedUser } from './support/scriptedUser.ts';

const LINKS = ['hard.txt', 'link.txt'];

function withLinks(story: (here: EditorPlace, user: ScriptedUser) => Promise<void>): () => Promise<void> {
  return inPlace({ '.env': 'KEY=secret-1\n', 'a.txt': 'one\n' }, async (here) => {
    linkSync(here.at('.env'), here.at('hard.txt'));
    symlinkSync('.env', here.at('link.txt'));
    const user = new ScriptedUser();
    try {
      await story(here, user);
    } finally {
      user.restore();
    }
  });
}

/** The links are committed and `.env` is not; a.txt, and with `.env` the hard link, were changed and committed, twice. */
function repositoryIn(here: EditorPlace, ...settings: readonly string[]): Repository {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@t'];
  const git = (...args: string[]) => execFileSync('git', [...identity, ...args], { cwd: here.root, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  for (const setting of settings) git('config', ...setting.split('='));
  here.write('.gitignore', '.env\n');
  git('add', '-A');
  git('commit', '-qm', 'Begin');
  for (const [text, key] of [
    ['one\ntwo\n', 'secret-2'],
    ['one\ntwo\nthree\n', 'secret-3'],
  ] as const) {
    here.write('a.txt', text);
    here.write('.env', `KEY=${key}\n`);
    if (key === 'secret-2') git('commit', '-qam', 'Go on');
  }
  return repositoryAt(vscode.Uri.file(here.root));
}

suite('a file with secrets under the name of a link', () => {
  for (const setting of ['diff.noprefix=false', 'diff.mnemonicPrefix=true', 'diff.noprefix=true']) {
    test(
      `has no difference of git (${setting})`,
      withLinks(async (here) => {
        const repository = repositoryIn(here, setting);
        const refusals = refusalsIn(here);
        const [last] = await repository.log({ maxEntries: 1 });
        assert.ok(last);
        const texts = [
          await changeText(refusals, [repository]),
          await changesToCommit(repository, refusals),
          await changesSince(repository, 'main~1', refusals),
          await changesIn(repository, last, refusals),
        ];
        for (const text of texts) {
          assert.match(text ?? '', /\+(?:two|three)/);
          assert.doesNotMatch(text ?? '', /secret/);
        }
      }),
    );
  }

  test(
    'is not attached from Source Control, and problems there are not sent',
    withLinks(async (here, user) => {
      const repository = repositoryIn(here);
      const refusals = refusalsIn(here);
      const added: Attachment[] = [];
      const sent: (readonly UserInput[])[] = [];
      const send = async (input: readonly UserInput[]) => void sent.push(input);
      const points = new EntryPoints({
        refusals,
        insert: async (attachments) => void added.push(...attachments),
        attachFiles: async () => {},
        redact: async (text) => text,
        failedCommand: () => undefined,
        mentionOf: mentionOfLines,
        send,
        repositories: () => [repository],
      });
      await points.addChanges(LINKS.map((name) => ({ resourceUri: here.uri(name) })));
      assert.deepEqual([added, user.shown.length], [[], 1]);

      const collection = vscode.languages.createDiagnosticCollection('secrets');
      try {
        const range = new vscode.Range(0, 0, 0, 3);
        for (const name of [...LINKS, 'a.txt']) {
          collection.set(here.uri(name), [
            new vscode.Diagnostic(range, `wrong: ${name === 'a.txt' ? 'one' : 'secret'}`),
          ]);
        }
        const text = (await problemText(refusals)) ?? '';
        assert.match(text, /a\.txt:1:1 error: wrong: one/);
        assert.doesNotMatch(text, /secret/);
        const actions = new ProblemActions({ refusals, mentionOf: mentionOfLines, send });
        for (const name of LINKS) await actions.ask('explain', here.uri(name), range);
        assert.deepEqual([sent, user.shown.length], [[], 3]);
      } finally {
        collection.dispose();
      }
    }),
  );

  test(
    'takes no comments on its lines, which would be quoted',
    withLinks(async (here, user) => {
      const comments = new LineComments({
        memento: { get: () => undefined as never, update: async () => {} },
        threads: new EmittedThread(here.root),
        refusals: refusalsIn(here),
        isCommentable: () => true,
        proposalOf: () => undefined,
        fileOf: () => undefined,
        threadAsking: () => undefined,
        deny: () => {},
        sendMessage: async () => true,
        report: (error) => {
          throw error;
        },
      });
      const controller = vscode.comments.createCommentController('secrets', 'Secrets');
      try {
        for (const name of LINKS) {
          const thread = controller.createCommentThread(here.uri(name), new vscode.Range(0, 0, 0, 0), []);
          await comments.add({ thread, text: 'Why?' });
        }
        assert.deepEqual([comments.pending.count, user.shown.length], [0, LINKS.length]);
      } finally {
        controller.dispose();
        comments.dispose();
      }
    }),
  );
});
