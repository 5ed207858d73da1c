import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { reviewedChanges } from '../../src/core/patch/proposalChoices.ts';
import { fileDiff } from '../../src/core/patch/unifiedDiff.ts';
import type { FileChange, ProposedFile } from '../../src/core/ports.ts';
import type { ProposalChoices } from '../../src/protocol/policy.ts';
import { countHunks } from '../../src/protocol/review.ts';
import { ProposalTabs } from '../../src/vscode/proposals/proposalTabs.ts';
import { KeptReviews } from '../../src/vscode/proposals/keptChoices.ts';
import { type EditorPlace, inPlace, pause, until, withSetting } from './support/editorPlace.ts';

const LINES = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
const changed = (numbers: readonly number[], end = '\n') =>
  LINES.map((line, index) => (numbers.includes(index + 1) ? `CHANGED ${index + 1}` : line) + end).join('');
const TEXT = changed([]);
const ALL = [2, 15, 29];

suite('a proposal under review', () => {
  test(
    'is the right side of the diff: a hunk rejected there, or in the panel, is left out, and restored by Ctrl+Z',
    reviewing([2, 15, 29], async (here, preview) => {
      const document = await shown(preview);
      await preview.toggleHunk(document.uri, 1);
      await until(() => document.getText() === changed([2, 29]));
      assert.deepEqual(preview.proposals.reviewOf('p'), [{ path: 'a.txt', leftOut: [1] }]);
      await preview.proposals.choose('p', 'a.txt', 0, 'out');
      assert.equal(document.getText(), changed([29]));
      // Else VS Code opens a tab of its own for it.
      assert.equal(document.isDirty, false);
      assert.deepEqual(countHunks(preview.proposals.stateOf('p').files), { taken: 1, total: 3 });
      await vscode.commands.executeCommand('undo');
      await until(() => document.getText() === changed([2, 29]));
      await preview.proposals.choose('p', 'a.txt', 1, 'in');
      assert.equal(preview.proposals.reviewOf('p'), undefined);
      assert.equal(here.disk('a.txt'), TEXT);
    }),
  );

  test(
    'is what the user writes; it is saved for them, and its tab closes without a question',
    reviewing([2], async (here, preview) => {
      const document = await shown(preview);
      await typed('mine ');
      assert.deepEqual(preview.proposals.reviewOf('p'), [{ path: 'a.txt', text: `mine ${changed([2])}` }]);
      await until(() => !document.isDirty);
      await typed('and ');
      assert.equal(document.isDirty, true);
      await preview.close('p');
      assert.deepEqual(here.tabs(), []);
      assert.equal(here.disk('a.txt'), TEXT);
    }),
  );

  test(
    'closes its tab without a question while VS Code is saving it',
    reviewing([2], async (here, preview) => {
      const document = await shown(preview);
      let saves = 0;
      const slow = vscode.workspace.onWillSaveTextDocument((event) => {
        if (event.document !== document) return;
        saves++;
        event.waitUntil(pause(500));
      });
      try {
        await typed('mine ');
        void document.save();
        await until(() => saves > 0);
        await preview.close('p');
        assert.deepEqual(here.tabs(), []);
      } finally {
        slow.dispose();
      }
    }),
  );

  test(
    'closes its tab without a question at the moment of an edit, before VS Code reports it as unsaved',
    reviewing([2], async (here, preview) => {
      const document = await shown(preview);
      const closed = new Promise<boolean>((resolve, reject) => {
        const edits = vscode.workspace.onDidChangeTextDocument((event) => {
          if (event.document !== document) return;
          edits.dispose();
          const { isDirty } = document;
          preview.close('p').then(() => resolve(isDirty), reject);
        });
      });
      await typed('mine ');
      assert.equal(await closed, false);
      assert.deepEqual(here.tabs(), []);
    }),
  );

  for (const [setting, value] of [
    ['editor.formatOnSave', true],
    ['editor.codeActionsOnSave', { 'source.organizeImports': 'explicit' }],
    ['files.trimTrailingWhitespace', true],
  ] as const) {
    test(
      `is not rewritten by ${setting}: it keeps its unsaved mark, and counts as it was written`,
      reviewing([2], async (here, preview) => {
        await withSetting(setting, value, async () => {
          const document = await shown(preview);
          await typed('mine   \n');
          await pause(600);
          assert.equal(document.isDirty, true);
          assert.deepEqual(preview.proposals.reviewOf('p'), [{ path: 'a.txt', text: `mine   \n${changed([2])}` }]);
          await preview.close('p');
          assert.deepEqual(here.tabs(), []);
        });
      }),
    );
  }

  test(
    'keeps its choices when its tab is closed, and shows them again',
    reviewing(ALL, async (here, preview) => {
      const first = await shown(preview);
      await preview.toggleHunk(first.uri, 0);
      await until(() => !first.isDirty);
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      await until(() => here.tabs().length === 0);
      assert.deepEqual(preview.proposals.reviewOf('p'), [{ path: 'a.txt', leftOut: [0] }]);
      assert.equal((await shown(preview)).getText(), changed([15, 29]));
    }),
  );

  test(
    'starts with the earlier choices when it is requested again',
    inPreview({ 'a.txt': TEXT }, async (here, preview) => {
      const carried: ProposalChoices = [{ path: 'a.txt', leftOut: [2] }];
      preview.propose('p', proposal(here.update('a.txt', TEXT, changed(ALL))), carried);
      assert.deepEqual(preview.proposals.reviewOf('p'), carried);
      assert.equal((await shown(preview)).getText(), changed([2, 15]));
    }),
  );

  test(
    'starts with the choices from before a reload of the window, until it is answered',
    inPlace({ 'a.txt': TEXT }, async (here) => {
      const kept = new KeptReviews(memento());
      const files = proposal(here.update('a.txt', TEXT, changed(ALL)));
      const reviewed = async (how: (preview: ProposalTabs) => unknown) => {
        const preview = new ProposalTabs(kept);
        preview.propose('p', files);
        await how(preview);
        const review = preview.proposals.reviewOf('p');
        preview.dispose();
        return review;
      };
      await reviewed((preview) => preview.proposals.choose('p', 'a.txt', 1, 'out'));
      const chosen = [{ path: 'a.txt', leftOut: [1] }];
      assert.deepEqual(await reviewed(() => undefined), chosen);
      await reviewed((preview) => preview.close('p', false));
      assert.deepEqual(await reviewed(() => undefined), chosen);
      await reviewed((preview) => preview.close('p'));
      assert.equal(await reviewed(() => undefined), undefined);
    }),
  );

  test(
    'cannot be edited where VS Code would change the text; its hunks can still be chosen',
    inPreview({ 'a.txt': '' }, async (here, preview) => {
      const mixed = (numbers: number[]) => changed(numbers).replace('line 8\n', 'line 8\r\n');
      preview.propose('p', proposal(here.update('a.txt', mixed([]), mixed([2, 29])), here.remove('gone.txt', 'g\n')));
      await preview.show('p', { focus: true }, here.at('a.txt'));
      const document = await rightSide();
      await typed('mine');
      assert.equal(document.isDirty, false);
      await preview.toggleHunk(document.uri, 0);
      await preview.toggleHunk(preview.proposals.filesOf('p')[1]?.after, null);
      assert.deepEqual(preview.proposals.reviewOf('p'), [
        { path: 'a.txt', leftOut: [0] },
        { path: 'gone.txt', leftOut: 'file' },
      ]);
      await until(() => !document.getText().includes('CHANGED 2\r') && !document.getText().includes('CHANGED 2\n'));
      await preview.toggleHunk(preview.proposals.filesOf('p')[1]?.after, null);
      assert.deepEqual(preview.proposals.reviewOf('p'), [{ path: 'a.txt', leftOut: [0] }]);
    }),
  );

  test(
    'keeps its line endings and its letters, whatever encoding the user has set',
    inPreview({ 'a.txt': '' }, async (here, preview) => {
      await withSetting('files.encoding', 'windows1252', async () => {
        const after = `${changed([2, 29], '\r\n')}ß→🙂\r\n`;
        preview.propose('p', proposal(here.update('a.txt', changed([], '\r\n'), after)));
        const document = await shown(preview);
        assert.equal(document.getText(), after);
        assert.equal(preview.proposals.reviewOf('p'), undefined);
        await typed('é\n');
        await until(() => !document.isDirty);
        assert.deepEqual(preview.proposals.reviewOf('p'), [{ path: 'a.txt', text: `é\r\n${after}` }]);
      });
    }),
  );

  test(
    'is UTF-8 without a byte order mark in the status bar, unless the settings would decode it otherwise',
    reviewing([2], async (_here, preview) => {
      assert.equal((await shown(preview)).encoding, 'utf8');
    }),
  );

  test(
    'has a reason for a rejected hunk in its choices, until the hunk is restored, and after a reload',
    inPlace({ 'a.txt': TEXT }, async (here) => {
      const kept = new KeptReviews(memento());
      const files = proposal(here.update('a.txt', TEXT, changed(ALL)));
      const during = async (story: (preview: ProposalTabs) => Promise<void>) => {
        const preview = new ProposalTabs(kept);
        preview.propose('p', files);
        try {
          await story(preview);
        } finally {
          await preview.close('p', false);
          preview.dispose();
        }
      };
      const chosen = [{ path: 'a.txt', leftOut: [1], reasons: [{ hunk: 1, text: 'use the helper' }] }];
      await during(async (preview) => {
        const { uri } = await shown(preview);
        await preview.proposals.choose('p', 'a.txt', 1, 'out');
        preview.proposals.explain('p', 'a.txt', 1, ' use the helper ');
        assert.deepEqual(preview.proposals.reviewOf('p'), chosen);
        assert.ok((await lenses(uri)).some(([line, title]) => line === 14 && title === '$(comment) “use the helper”'));
        await until(() => isDeepStrictEqual(kept.of(files), chosen), 20_000);
        await preview.proposals.choose('p', 'a.txt', 1, 'in');
        assert.equal(preview.proposals.reviewOf('p'), undefined);
        await preview.proposals.choose('p', 'a.txt', 1, 'out');
      });
      await during(async (preview) => {
        assert.deepEqual(preview.proposals.reviewOf('p'), chosen);
        preview.proposals.explain('p', 'a.txt', 1, '');
        assert.deepEqual(preview.proposals.reviewOf('p'), [{ path: 'a.txt', leftOut: [1] }]);
      });
    }),
  );

  for (const isFormatting of [false, true]) {
    test(
      `opens no tab of its own for a hunk rejected in the panel, ${isFormatting ? 'with' : 'without'} format on save`,
      inPreview({ 'a.txt': TEXT, 'b.txt': TEXT }, async (here, preview) => {
        await withSetting('editor.formatOnSave', isFormatting, async () => {
          const files = ['a.txt', 'b.txt'].map((name) => here.update(name, TEXT, changed(ALL)));
          preview.propose('p', proposal(...files));
          await preview.show('p', { focus: true });
          const after = preview.proposals.filesOf('p')[0]?.after.toString();
          const document = () => vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === after);
          await until(() => document() !== undefined);
          await preview.proposals.choose('p', 'a.txt', 1, 'out');
          assert.equal(document()?.getText(), changed([2, 29]));
          assert.deepEqual(preview.proposals.reviewOf('p'), [{ path: 'a.txt', leftOut: [1] }]);
          assert.equal(document()?.isDirty, false);
          assert.deepEqual(here.tabs(), ['Tiller: Proposed Changes (2 files)']);
        });
      }),
    );
  }

  test(
    'of a file that another patch changes, too, has its own document',
    inPreview({ 'a.txt': TEXT }, async (here, preview) => {
      preview.propose('p', proposal(here.update('a.txt', TEXT, changed([2, 29]))));
      preview.propose('q', proposal(here.update('a.txt', TEXT, changed([15]))));
      const document = await shown(preview);
      await preview.show('q', { focus: true });
      await preview.toggleHunk(document.uri, 0);
      assert.deepEqual(preview.proposals.reviewOf('p'), [{ path: 'a.txt', leftOut: [0] }]);
      assert.equal(preview.proposals.reviewOf('q'), undefined);
    }),
  );

  test(
    'has lenses above each hunk with its actions, and one at the top with the effect of an approval',
    reviewing(ALL, async (_here, preview) => {
      const { uri } = await shown(preview);
      assert.deepEqual(await lenses(uri), [
        [0, '$(check) Approve'],
        [0, '$(close) Deny…'],
        [1, '$(discard) Reject'],
        [14, '$(discard) Reject'],
        [28, '$(discard) Reject'],
      ]);
      await preview.toggleHunk(uri, 1);
      assert.deepEqual((await lenses(uri)).slice(0, 4), [
        [0, '$(check) Approve 2 of 3 Hunks'],
        [0, '$(close) Deny…'],
        [1, '$(discard) Reject'],
        [14, '$(redo) Restore (rejected)'],
      ]);
      assert.deepEqual((await lenses(uri))[4], [14, '$(comment) Add Reason…']);
    }),
  );
});

suite('the approved part of a proposal', () => {
  test(
    'is applied to the open buffer beside text that the user has typed, and is undone with the patch',
    inPlace({ 'a.txt': TEXT }, async (here) => {
      await here.type('a.txt', 'typed ');
      const before = here.document('a.txt')?.getText() ?? '';
      const [file] = proposal(
        here.update('a.txt', before, before.replace('line 2\n', 'TWO\n').replace('line 29', 'LAST')),
      );
      assert.ok(file);
      const decided = reviewedChanges([file], [{ path: 'a.txt', leftOut: [0] }]);
      const result = await here.apply(decided, { turnId: 'turn', itemId: 'item' });
      assert.equal(result.type, 'applied');
      assert.equal(here.document('a.txt')?.getText(), before.replace('line 29', 'LAST'));
      assert.equal(here.disk('a.txt'), TEXT);
      await here.undo.undo('item');
      assert.equal(here.document('a.txt')?.getText(), before);
    }),
  );
});

type Story = (here: EditorPlace, preview: ProposalTabs) => Promise<void>;

function inPreview(files: Readonly<Record<string, string>>, story: Story): () => Promise<void> {
  return inPlace(files, async (here) => {
    const preview = new ProposalTabs();
    try {
      await story(here, preview);
    } finally {
      await preview.close('p');
      await preview.close('q');
      preview.dispose();
    }
  });
}

/** One file, of which these lines would change. */
function reviewing(numbers: readonly number[], story: Story): () => Promise<void> {
  return inPreview({ 'a.txt': TEXT }, async (here, preview) => {
    preview.propose('p', proposal(here.update('a.txt', TEXT, changed(numbers))));
    await story(here, preview);
  });
}

function proposal(...changes: readonly FileChange[]): readonly ProposedFile[] {
  return changes.map((change) => ({ name: basename(change.path), change, hunks: fileDiff(change, '/').hunks }));
}

async function shown(preview: ProposalTabs): Promise<vscode.TextDocument> {
  assert.equal(await preview.show('p', { focus: true }), true);
  return rightSide();
}

async function rightSide(): Promise<vscode.TextDocument> {
  await until(() => vscode.window.activeTextEditor?.document.uri.scheme === 'tiller-edit');
  const document = vscode.window.activeTextEditor?.document;
  assert.ok(document);
  return document;
}

function memento(): vscode.Memento {
  const values = new Map<string, unknown>();
  return {
    keys: () => [...values.keys()],
    get: (key: string) => values.get(key) as undefined,
    update: async (key, value) => void values.set(key, value),
  };
}

/** Types at the beginning, as a user would. */
async function typed(text: string): Promise<void> {
  await vscode.commands.executeCommand('cursorTop');
  await vscode.commands.executeCommand('type', { text });
}

async function lenses(uri: vscode.Uri): Promise<[number, string | undefined][]> {
  const found = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 100);
  return found.map(({ range, command }) => [range.start.line, command?.title]);
}
