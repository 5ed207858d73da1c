import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { returningFocus } from '../../src/vscode/chat/returnFocus.ts';
import { inPlace } from './support/editorPlace.ts';

/** Returns whether the panel got the focus back after `run`. */
async function isReturned(run: () => Promise<unknown>, options?: { changesEditors: boolean }): Promise<boolean> {
  let isBack = false;
  const focusBack = async () => void (isBack = true);
  await returningFocus(run, focusBack, options).catch(() => {});
  return isBack;
}

/** Resolves when the user has left the list. */
async function leaveList(): Promise<void> {
  const list = vscode.window.createQuickPick();
  const hidden = new Promise<void>((resolve) => list.onDidHide(resolve));
  list.show();
  await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
  await hidden;
  list.dispose();
}

suite('the focus after a request of the panel', () => {
  test(
    'goes back when the user leaves the list, and when the request fails',
    inPlace({ 'a.txt': 'one\n' }, async (here) => {
      await here.open('a.txt');
      assert.equal(await isReturned(leaveList), true);
      assert.equal(await isReturned(() => Promise.reject(new Error('refused'))), true);
    }),
  );

  test(
    'stays in the editor that the request has opened, unless the editor is only its preview',
    inPlace({ 'a.txt': 'one\n', 'b.txt': 'two\n' }, async (here) => {
      await here.open('a.txt');
      const open = (name: string) => () => here.open(name);
      assert.equal(await isReturned(open('b.txt')), false);
      assert.equal(await isReturned(open('a.txt'), { changesEditors: true }), true);
    }),
  );

  test(
    'stays with a user who has gone to an editor',
    inPlace({ 'a.txt': 'one\ntwo\n' }, async (here) => {
      await here.open('a.txt');
      const move = async () => {
        const moved = new Promise((resolve) => {
          const listening = vscode.window.onDidChangeTextEditorSelection((event) => {
            listening.dispose();
            resolve(event);
          });
        });
        await vscode.commands.executeCommand('cursorDown');
        await moved;
      };
      assert.equal(await isReturned(move, { changesEditors: true }), false);
    }),
  );
});
