import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { TurnSettings } from '../../src/protocol/event.ts';
import { DEFAULT_SETTINGS } from '../../src/protocol/settings.ts';
import { createLog } from '../../src/vscode/log.ts';
import { reportIssue } from '../../src/vscode/support/reportIssue.ts';

suite('Report Issue', () => {
  test('has log lines with the causes of an error, redacted', () => {
    const written: string[] = [];
    const channel = { warn: (line: string) => void written.push(line) } as unknown as vscode.LogOutputChannel;
    const log = createLog(channel, (text) => text.replaceAll('sesame', '[hidden]'));
    log.warn('It failed', new Error('the request', { cause: new Error('the socket of sesame') }));
    for (const part of ['It failed ', 'Error: the request\n', '[cause]: ', 'Error: the socket of [hidden]\n']) {
      assert.ok(written[0]?.includes(part), written[0]);
    }
    assert.deepEqual(
      log.tail().map((line) => line.replace(/^\S+ /, '')),
      written.map((line) => `warn ${line}`),
    );
  });

  test('opens a report that the user can edit, with versions and the redacted log', async () => {
    const opened = new Promise<vscode.TextDocument>((resolve) => {
      const listener = vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor?.document.languageId !== 'markdown') return;
        listener.dispose();
        resolve(editor.document);
      });
    });
    // Resolves only when its notification is answered, which test mode never shows.
    void reportIssue({
      version: '1.2.3',
      issuesUrl: 'https://issues.example',
      settings: () => DEFAULT_SETTINGS,
      current: () =>
        ({ approvalPolicy: 'never', sandboxPolicy: { type: 'read-only' }, box: 'none' }) as unknown as TurnSettings,
      logTail: () => ['a line with sesame'],
      redact: (text) => text.replaceAll('sesame', '[hidden]'),
    });
    const text = (await opened).getText();
    for (const part of [
      `- VS Code: ${vscode.version} (`,
      '- Tiller: 1.2.3',
      '- Sandbox: read-only, none',
      '[hidden]',
    ]) {
      assert.ok(text.includes(part), text);
    }
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });
});
