import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';

suite('Report Issue', () => {
  test('opens a report that the user can edit, with versions and without the home directory', async () => {
    const opened = new Promise<vscode.TextDocument>((resolve) => {
      const listener = vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor?.document.languageId !== 'markdown') return;
        listener.dispose();
        resolve(editor.document);
      });
    });
    // Resolves only when its notification is answered, which test mode never shows.
    void vscode.commands.executeCommand('tiller.reportIssue');
    const text = (await opened).getText();
    assert.ok(text.includes(`- VS Code: ${vscode.version} (`), text);
    assert.ok(text.includes('## Settings that differ from their defaults'), text);
    assert.ok(!text.includes(process.env['HOME'] ?? '/root'), text);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });
});
