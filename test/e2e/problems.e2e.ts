// What a patch does to the problems of the editor: for the model, in the panel, in the editor.
import { describe, expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { useSharedWindow } from './support/window.ts';

const soon = { timeout: 30_000 };
const patch = (...lines: readonly string[]) =>
  calls('apply_patch', { input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });

describe('problems after a patch', () => {
  const window = useSharedWindow({
    model: 'scripted',
    settings: { 'tiller.review': 'after' },
    files: {
      'lib.check.py': 'def one\ndef two\nuse nothing\n',
      'caller.check.py': 'use one\n',
      'closed.check.py': 'use two\n',
    },
  });

  test('reach the model with the file that the patch has broken, and lead to the list of problems', async () => {
    const { vscode, panel, model } = window();
    await vscode.openFile('caller.check.py');
    await vscode.openFile('lib.check.py');
    await vscode.editor().locator('.squiggly-error').first().waitFor(soon);
    await panel.open();
    const change = patch(
      '*** Update File: lib.check.py',
      '@@',
      '-def one',
      '+def uno',
      '+use that',
      ' def two',
      '-use nothing',
      '*** Update File: closed.check.py',
      '@@',
      '-use two',
      '+use three',
    );
    model.will([change], [says('Done.')]);
    await panel.send('Rename it.');
    await panel.ended();
    expect(model.outputs.at(-1)?.split('\n').slice(-5)).toEqual([
      'Problems in the editor after this patch: 2 new errors, 1 fixed.',
      'new: caller.check.py:1:5 error: no one (checker) | use one',
      'new: lib.check.py:2:5 error: no that (checker) | use that',
      'fixed: lib.check.py error: no nothing (checker)',
      'Problems unknown, because not open in the editor or not checked there: closed.check.py',
    ]);
    // The change under review says it, too.
    await vscode.codeLens('1 error').waitFor();
    expect(await panel.get('turn-receipt').innerText()).toContain(
      'In the editor: 2 new errors, 1 problem fixed; 1 file not checked for problems.',
    );
    const row = panel.get('file-change-show-problems');
    expect(await row.innerText()).toBe('2 new errors, 1 problem fixed');
    await vscode.screenshot('problems/1-row');
    await row.click();
    await vscode.page.locator('.markers-panel').getByText('no that').waitFor();
    await vscode.screenshot('problems/2-list');
  });
});
