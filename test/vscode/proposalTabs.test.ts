import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { fileDiff } from '../../src/core/patch/unifiedDiff.ts';
import type { FileChange, ProposedFile } from '../../src/core/ports.ts';
import { ProposalTabs } from '../../src/vscode/proposals/proposalTabs.ts';
import { type EditorPlace, inPlace, pause, until } from './support/editorPlace.ts';

suite('a proposal', () => {
  test(
    'of one file is a diff of the file and the proposed text, and is updated when the proposal changes',
    withPreview({ 'a.txt': 'a\n' }, async (here, preview) => {
      preview.propose('approval', proposal(here.update('a.txt', 'a\n', 'b\n')));
      assert.equal(await preview.show('approval', { focus: true }), true);
      assert.deepEqual(here.tabs(), ['a.txt (proposed)']);
      assert.deepEqual(shownTexts(), ['a\n', 'b\n']);
      await until(() => preview.active === 'approval');

      preview.propose('approval', proposal(here.update('a.txt', 'a\n', 'c\n')));
      await until(() => shownTexts()[1] === 'c\n');
      assert.equal(here.disk('a.txt'), 'a\n');
    }),
  );

  test(
    'of several files is one overview, and each file can be opened from it',
    withPreview({ 'a.txt': 'a\n', 'gone.txt': 'g\n' }, async (here, preview) => {
      const changes = [here.update('a.txt', 'a\n', 'b\n'), here.add('new.txt', 'n\n'), here.remove('gone.txt', 'g\n')];
      preview.propose('approval', proposal(...changes));
      assert.equal(await preview.show('approval', { focus: false }), false);
      assert.deepEqual(here.tabs(), []);
      assert.equal(await preview.show('approval', { focus: true }), true);
      await until(() => preview.active === 'approval');
      assert.deepEqual(here.tabs(), ['Tiller: Proposed Changes (3 files)']);
      await preview.show('approval', { focus: true }, here.at('new.txt'));
      assert.deepEqual(shownTexts(), ['', 'n\n']);
      await preview.close('approval');
      assert.deepEqual(here.tabs(), []);
      await until(() => preview.active === undefined);
    }),
  );

  test(
    'opens beside the editor and keeps the focus when the user did not request it',
    withPreview({ 'mine.txt': '', 'a.txt': 'a\n' }, async (here, preview) => {
      const editor = await here.open('mine.txt');
      preview.propose('approval', proposal(here.update('a.txt', 'a\n', 'b\n')));
      await preview.show('approval', { focus: false });
      await vscode.commands.executeCommand('type', { text: 'typed on' });
      assert.equal(editor.document.getText(), 'typed on');
    }),
  );

  test(
    'closed by hand stays pending and can be shown again; resolved, it closes by itself and leaves others open',
    withPreview({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, async (here, preview) => {
      preview.propose('one', proposal(here.update('a.txt', 'a\n', 'A\n')));
      preview.propose('two', proposal(here.update('b.txt', 'b\n', 'B\n')));
      await preview.show('one', { focus: true });
      await vscode.window.tabGroups.close(vscode.window.tabGroups.activeTabGroup.activeTab ?? []);
      assert.equal(await preview.show('one', { focus: true }), true);
      await preview.show('two', { focus: true });
      await here.open('a.txt');
      await preview.close('one');
      await pause(50);
      assert.deepEqual(here.tabs(), ['b.txt (proposed)', 'a.txt']);
      assert.equal(await preview.show('one', { focus: true }), false);
      await preview.close('two');
      assert.deepEqual(here.tabs(), ['a.txt']);
    }),
  );

  test(
    'is found by the address that its title buttons pass',
    withPreview({ 'a.txt': 'a\n' }, async (here, preview) => {
      preview.propose('approval 1/2', proposal(here.move('a.txt', 'b.txt', 'a\n')));
      await preview.show('approval 1/2', { focus: true });
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      assert.ok(input instanceof vscode.TabInputTextDiff);
      assert.equal(preview.approvalOf(input.modified), 'approval 1/2');
      // Breadcrumbs show the path, and shorten it for files only.
      assert.equal(input.modified.path, `/${vscode.workspace.asRelativePath(here.at('b.txt'))}`);
      assert.deepEqual(here.tabs(), ['a.txt → b.txt (proposed)']);
    }),
  );
});

function withPreview(
  files: Readonly<Record<string, string>>,
  story: (here: EditorPlace, preview: ProposalTabs) => Promise<void>,
): () => Promise<void> {
  return inPlace(files, async (here) => {
    const preview = new ProposalTabs();
    try {
      await story(here, preview);
    } finally {
      preview.dispose();
    }
  });
}

/** Returns changes as core would propose them: named as the user reads them, with their hunks. */
function proposal(...changes: readonly FileChange[]): readonly ProposedFile[] {
  return changes.map((change) => ({ name: basename(change.path), change, hunks: fileDiff(change, '/').hunks }));
}

/** Left and right of the active diff editor. */
function shownTexts(): (string | undefined)[] {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (!(input instanceof vscode.TabInputTextDiff)) return [];
  return [input.original, input.modified].map((uri) =>
    vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString())?.getText(),
  );
}
