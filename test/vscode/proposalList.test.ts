/** The list that agents, skills, hooks and MCP servers share, in VS Code; the user's choices are scripted. */
import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import {
  decisionItems,
  listItem,
  type Proposal,
  problemItem,
  showList,
  unusedStateLabel,
} from '../../src/vscode/ui/proposalList.ts';
import { inPlace } from './support/editorPlace.ts';
import { ScriptedUser } from './support/scriptedUser.ts';

suite('the list of proposals', () => {
  const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';

  test('shows what a file says as text in one line: no icon, no hidden character, no second line', () => {
    const text = '$(check) approved\u202e\nby you';
    const row = listItem({
      ...unusedStateLabel('proposed'),
      name: text,
      source: `${root}/$(check).md`,
      detail: 'x'.repeat(400),
      run: () => {},
    });
    assert.deepEqual(
      { ...row, run: undefined },
      {
        label: '$(question) \\$(check) approved\\u{202e}…',
        description: 'Proposed, not used · \\$(check).md',
        detail: `${'x'.repeat(299)}…`,
        run: undefined,
      },
    );
    assert.equal(problemItem(text).label, '$(error) \\$(check) approved\\u{202e}…');
  });

  test('offers the possible decisions: an approval, a refusal, and the withdrawal of an approval', async () => {
    const done: unknown[] = [];
    const of = (state: Proposal['state']) =>
      decisionItems({
        state,
        approve: { detail: 'Shows it first.', run: () => done.push('asked') },
        decide: (decision) => done.push(decision),
      });
    const labels = (state: Proposal['state']) => of(state).map(({ label }) => label);
    assert.deepEqual(labels('proposed'), ['$(check) Approve…', '$(circle-slash) Refuse']);
    assert.deepEqual(labels('refused'), ['$(check) Approve…']);
    assert.deepEqual(labels('used'), ['$(discard) Remove Approval']);
    const texts = { title: 'Things', placeHolder: 'a $(check)\nb' };
    const user = new ScriptedUser({ pick: '$(check)' }, { pick: '$(circle' }, { pick: '$(discard)' }, 'cancel');
    try {
      for (const state of ['proposed', 'proposed', 'used', 'proposed'] as const) await showList(of(state), texts);
      assert.equal(user.shown[0], 'Things | a \\$(check)…');
    } finally {
      user.restore();
    }
    assert.deepEqual(done, ['asked', 'refused', 'open']);
  });

  test(
    'opens a file that is wrong, and no folder',
    inPlace({ 'wrong.md': 'no head' }, async (here) => {
      const wrong = problemItem('line 1', here.uri('wrong.md').fsPath);
      await wrong.run?.();
      assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, here.uri('wrong.md').fsPath);
      assert.equal(wrong.detail, 'line 1');
      assert.equal(problemItem('only its first 100 files are read', here.root).run, undefined);
    }),
  );
});
