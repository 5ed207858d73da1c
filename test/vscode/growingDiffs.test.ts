/** Diffs of a patch that the model is still writing, in real diff editors. */
import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { fileDiff } from '../../src/core/patch/unifiedDiff.ts';
import { GrowingDiffs, type GrowingDiffsDeps } from '../../src/vscode/proposals/growingDiffs.ts';
import { ProposalTabs } from '../../src/vscode/proposals/proposalTabs.ts';
import { type EditorPlace, inPlace, until } from './support/editorPlace.ts';
import { EmittedThread } from './support/emittedThread.ts';

const PATCH = ['*** Begin Patch\n*** Update File: a.txt\n@@\n one\n', '-two\n+TWO\n', '+and a half\n'] as const;
const UNSHOWN = new Error('The diff cannot be shown.');
const ITEM = { id: 'i', type: 'file_change' as const, callId: 'c', changes: [], diff: '' };

interface Growing {
  readonly here: EditorPlace;
  readonly thread: EmittedThread;
  readonly growing: GrowingDiffs;
  readonly preview: ProposalTabs;
  /** The model writes this part of the patch. */
  readonly write: (text: string) => void;
  /** The reported errors. */
  readonly reported: readonly unknown[];
}

suite('a patch that the model is writing', () => {
  test(
    'opens as a diff that grows, is not dirty, and changes no file',
    withGrowing(async ({ here, growing, thread, write }) => {
      write(PATCH[0]);
      assert.equal(await growing.show('i', undefined, thread.state, here.root), true);
      assert.deepEqual(here.tabs(), ['a.txt (being written)']);
      assert.deepEqual(shownTexts(), ['one\ntwo\nthree\n', 'one\ntwo\nthree\n']);
      write(PATCH[1]);
      await until(() => shownTexts()[1] === 'one\nTWO\nthree\n');
      write(PATCH[2]);
      await until(() => shownTexts()[1] === 'one\nTWO\nand a half\nthree\n');
      assert.equal(shownTexts()[0], 'one\ntwo\nthree\n');
      assert.deepEqual([here.disk('a.txt'), here.dirty()], ['one\ntwo\nthree\n', []]);
      assert.equal(vscode.window.tabGroups.activeTabGroup.activeTab?.isDirty, false);
    }),
  );

  test(
    'gives its place to the proposal when it is complete',
    withGrowing(async ({ here, growing, preview, thread, write }) => {
      write(PATCH.join(''));
      await growing.show('i', 'a.txt', thread.state, here.root);
      const change = here.update('a.txt', 'one\ntwo\nthree\n', 'one\nTWO\nand a half\nthree\n');
      preview.propose('approval', [{ name: 'a.txt', change, hunks: fileDiff(change, '/').hunks }]);
      const reason = { source: 'policy' as const, id: 'review-before', text: '' };
      const request = { approvalId: 'approval', itemId: 'i', callId: 'c', kind: 'patch' as const, reason };
      thread.emit({ type: 'approval_requested', ...request, choices: ['approved', 'denied'] });
      await until(() => here.tabs().join() === 'a.txt (proposed)');
      assert.equal(await growing.show('i', 'a.txt', thread.state, here.root), false);
      await preview.close('approval');
    }),
  );

  test(
    'gives its place to the file when it was applied at once, and closes when it was not applied',
    withGrowing(async ({ here, growing, thread, write }) => {
      write(PATCH.join(''));
      await growing.show('i', undefined, thread.state, here.root);
      thread.emit({ type: 'item_completed', item: { ...ITEM, status: 'completed' } });
      await until(() => here.tabs().join() === 'a.txt');
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');

      thread.emit({ type: 'item_started', item: { ...ITEM, id: 'j', status: 'in_progress' } });
      thread.emit({ type: 'item_delta', itemId: 'j', kind: 'patch', text: PATCH.join('') });
      await growing.show('j', undefined, thread.state, here.root);
      thread.emit({ type: 'item_completed', item: { ...ITEM, id: 'j', status: 'aborted' } });
      await until(() => here.tabs().length === 0);
    }),
  );

  test(
    'closes also when what would take its place cannot be shown',
    withGrowing(
      async ({ here, growing, thread, write, reported }) => {
        write(PATCH.join(''));
        await growing.show('i', 'a.txt', thread.state, here.root);
        const reason = { source: 'policy' as const, id: 'review-before', text: '' };
        const request = { approvalId: 'approval', itemId: 'i', callId: 'c', kind: 'patch' as const, reason };
        thread.emit({ type: 'approval_requested', ...request, choices: ['approved', 'denied'] });
        await until(() => here.tabs().length === 0);
        assert.deepEqual(reported, [UNSHOWN]);
      },
      async () => {
        throw UNSHOWN;
      },
    ),
  );

  test(
    'is no diff before it has named a file',
    withGrowing(async ({ here, growing, thread, write }) => {
      write('*** Begin Patch\n');
      assert.equal(await growing.show('i', undefined, thread.state, here.root), false);
      assert.deepEqual(here.tabs(), []);
    }),
  );
});

/** `showProposal`: that of the tabs of proposals by default. */
function withGrowing(
  story: (growing: Growing) => Promise<void>,
  showProposal?: GrowingDiffsDeps['showProposal'],
): () => Promise<void> {
  return inPlace({ 'a.txt': 'one\ntwo\nthree\n' }, async (here) => {
    const thread = new EmittedThread(here.root);
    const preview = new ProposalTabs();
    const reported: unknown[] = [];
    const growing = new GrowingDiffs({
      onEvent: thread.onEvent,
      read: async (path) => (await here.workspace.read(path)).text,
      showProposal: showProposal ?? ((...which) => preview.show(...which)),
      report: (error) => {
        if (error !== UNSHOWN) throw error;
        reported.push(error);
      },
    });
    thread.emit({ type: 'item_started', item: { ...ITEM, status: 'in_progress' } });
    const write = (text: string) => thread.emit({ type: 'item_delta', itemId: 'i', kind: 'patch', text });
    try {
      await story({ here, thread, growing, preview, write, reported });
    } finally {
      growing.dispose();
      preview.dispose();
    }
  });
}

/** Left and right of the active diff editor. */
function shownTexts(): (string | undefined)[] {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (!(input instanceof vscode.TabInputTextDiff)) return [];
  return [input.original, input.modified].map((uri) =>
    vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString())?.getText(),
  );
}
