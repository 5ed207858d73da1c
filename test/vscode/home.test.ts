/** A TILLER_HOME that cannot be used, in VS Code: the same message as on the command line. */
import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { compose } from '../../src/extension/compose.ts';
import { contextOf, eventually, Page } from './support/page.ts';

declare const TILLER_VERSION: string;

suite('a TILLER_HOME in which the system cannot create a folder', () => {
  test('is an error when Tiller starts and at every turn, and nothing hangs', async () => {
    const before = process.env.TILLER_HOME;
    const { showErrorMessage } = vscode.window;
    const shown: string[] = [];
    Object.assign(vscode.window, { showErrorMessage: async (message: string) => void shown.push(message) });
    process.env.TILLER_HOME = '/proc/nope';
    const configuration = vscode.workspace.getConfiguration('tiller');
    await configuration.update('provider', 'demo', vscode.ConfigurationTarget.Global);
    const page = new Page();
    const tiller = await compose(contextOf());
    try {
      const why = 'The folder /proc/nope cannot be made: the system makes no folder in /proc.';
      await eventually(() => shown.length > 0);
      assert.deepEqual(shown, [`Tiller cannot keep its files in /proc/nope (TILLER_HOME). ${why}`]);
      tiller.view.resolveWebviewView(page.view);
      page.say({ type: 'ready', build: TILLER_VERSION });
      await page.hears('"snapshot"');
      page.say({ type: 'op', op: { type: 'user_turn', input: [{ type: 'text', text: 'go' }] } });
      await page.hears('"turn_aborted"');
      assert.ok(JSON.stringify(page.heard).includes(why), JSON.stringify(page.heard));
    } finally {
      await tiller.dispose();
      await configuration.update('provider', undefined, vscode.ConfigurationTarget.Global);
      Object.assign(vscode.window, { showErrorMessage });
      if (before === undefined) delete process.env.TILLER_HOME;
      else process.env.TILLER_HOME = before;
    }
  });
});
