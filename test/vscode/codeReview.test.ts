/** "Review Changes": what the user chooses, and the changes that the agent gets. Git runs, its extension is imitated. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { OpOf } from '../../src/protocol/op.ts';
import { handlePanelRequest, type PanelRequestDeps } from '../../src/vscode/chat/panelRequests.ts';
import { CodeReview } from '../../src/vscode/codeReview/codeReview.ts';
import { type EditorPlace, inPlace } from './support/editorPlace.ts';
import { makeRepository, repositoryAt } from './support/gitRepository.ts';
import { refusesEnv } from './support/refusals.ts';
import { type Answer, ScriptedUser } from './support/scriptedUser.ts';

interface Reviewed {
  readonly sent: OpOf<'review'>[];
  readonly shown: readonly string[];
}

function reviewed(
  answers: readonly Answer[],
  run: (review: CodeReview, reviewed: Reviewed, here: EditorPlace) => Promise<void>,
  { isRunning = false, isInSideCopy = false, hasGit = true } = {},
) {
  return inPlace({}, async (here) => {
    const root = makeRepository(here);
    const sent: OpOf<'review'>[] = [];
    const user = new ScriptedUser(...answers);
    try {
      const review = new CodeReview({
        refusals: refusesEnv,
        cwd: () => here.root,
        isInSideCopy: () => isInSideCopy,
        isRunning: () => isRunning,
        hasModel: async () => true,
        target: () => ({ threadId: 't', starting: undefined }),
        reveal: async () => {},
        send: async (op) => sent.push(op) > 0,
        repositories: () => (hasGit ? [repositoryAt(root)] : []),
      });
      await run(review, { sent, shown: user.shown }, here);
    } finally {
      user.restore();
    }
  });
}

suite('changes that are reviewed', () => {
  test(
    'are uncommitted ones, new files by name, without files that may not be read',
    reviewed([{ pick: 'Uncommitted' }], async (review, { sent }) => {
      await review.start(undefined, ' the locks ');
      const [op] = sent;
      assert.deepEqual(
        { ...op, changes: '' },
        {
          type: 'review',
          target: { type: 'uncommitted' },
          instructions: 'the locks',
          changes: '',
        },
      );
      const changes = op?.changes ?? '';
      assert.match(changes, /changed files:\n\.env\na\.txt\nnew\.txt/);
      assert.match(changes, /\n\+three/);
      assert.doesNotMatch(changes, /secret|\+two/);
    }),
  );

  test(
    'are looked at by the agent itself in a side copy, which git has not open here',
    reviewed(
      [{ pick: 'Uncommitted' }],
      async (review, { sent }) => {
        await review.start();
        assert.deepEqual(sent[0], { type: 'review', target: { type: 'uncommitted' }, changes: '' });
      },
      { isInSideCopy: true },
    ),
  );

  test(
    'are those since the branches parted',
    reviewed([{ pick: 'Changes Against' }, { pick: 'main' }], async (review, { sent }) => {
      await review.start();
      const [op] = sent;
      assert.deepEqual(op?.target, { type: 'branch', branch: 'main' });
      assert.match(op?.changes ?? '', /^Changed files:\na\.txt\n\ndiff --git a\/a\.txt/);
      assert.match(op?.changes ?? '', /\+two\n\+three/);
      assert.doesNotMatch(op?.changes ?? '', /secret/);
    }),
  );

  test(
    'are none against a branch without a common commit, and the user reads why',
    reviewed([{ pick: 'another-root' }], async (review, { sent, shown }, here) => {
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: here.root, stdio: 'pipe' });
      const tree = git('rev-parse', 'HEAD^{tree}').toString().trim();
      git('branch', 'another-root', git('commit-tree', tree, '-m', 'Apart').toString().trim());
      await review.start('branch');
      const sentence =
        'another-root and the current branch have no commit in common. Review uncommitted changes or a commit instead.';
      assert.deepEqual([sent, shown.at(-1)], [[], sentence]);
    }),
  );

  test(
    'are those of a commit, with its title; of the first one the agent looks itself',
    reviewed([{ pick: 'Add two' }, { pick: 'Begin' }], async (review, { sent }) => {
      await review.start('commit');
      await review.start('commit');
      const [second, first] = sent;
      assert.match(second?.changes ?? '', /\+two/);
      assert.doesNotMatch(second?.changes ?? '', /three/);
      const titles = sent.map(({ target }) => (target.type === 'commit' ? target.title : target.type));
      assert.deepEqual([titles, first?.changes], [['Add two', 'Begin'], '']);
    }),
  );

  test(
    'are none while a turn runs, or where nothing is chosen',
    reviewed(
      [],
      async (review, { sent, shown }) => {
        await review.start('uncommitted');
        assert.deepEqual([sent, shown], [[], ['A turn is running. Stop it, or wait for its end, to review changes.']]);
      },
      { isRunning: true },
    ),
  );

  test(
    'are none where git has opened no repository',
    reviewed(
      [],
      async (review, { sent, shown }) => {
        for (const kind of ['uncommitted', 'branch', 'commit'] as const) await review.start(kind);
        const none = "VS Code's Git extension has opened no repository in this window.";
        assert.deepEqual([sent, shown], [[], [none, none, none]]);
      },
      { hasGit: false },
    ),
  );

  test(
    'have hostile names of branches and commits, which are shown as text',
    reviewed([{ pick: '\\$(check)' }, { pick: 'Changes \\$(check) all\\u{202e}' }], async (review, { sent }, here) => {
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: here.root });
      git('branch', '$(check)', 'main');
      git('commit', '-q', '--allow-empty', '-m', 'Changes $(check) all\u202e\nMore.');
      await review.start('branch');
      await review.start('commit');
      assert.deepEqual(sent[0]?.target, { type: 'branch', branch: '$(check)' });
      assert.equal(sent[1]?.target.type, 'commit');
    }),
  );

  test(
    'are none where nothing is changed, or nothing is chosen',
    reviewed(['cancel'], async (review, { sent, shown }, here) => {
      await review.start('branch');
      execFileSync('git', ['reset', '-q', '--hard'], { cwd: here.root });
      execFileSync('git', ['clean', '-qfd'], { cwd: here.root });
      await review.start('uncommitted');
      assert.deepEqual([sent, shown.at(-1)], [[], 'There are no uncommitted changes.']);
    }),
  );
});

suite('a link of the panel', () => {
  test(
    'leads to the lines where they are by now, also unsaved, and to the named ones where they are gone',
    inPlace({ 'a.txt': 'one\ntwo\nthree\n' }, async (here) => {
      const shown = async (quote?: string) => {
        const deps = { state: () => ({ started: { cwd: here.root } }) } as unknown as PanelRequestDeps;
        await handlePanelRequest({ type: 'open_file', path: 'a.txt', line: 2, ...(quote && { quote }) }, deps);
        return vscode.window.activeTextEditor?.selection.active.line;
      };
      assert.equal(await shown('two'), 1);
      const editor = await here.open('a.txt');
      await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'new\nnew\n'));
      assert.deepEqual([await shown('two\nthree'), await shown('gone'), await shown()], [3, 1, 1]);
    }),
  );
});
