import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { previewDiagram } from '../../src/vscode/chat/codeActions.ts';
import { inPlace, until } from './support/editorPlace.ts';

suite('a diagram of an answer', () => {
  test(
    'opens as a Markdown document with a fence that the text cannot end, and the next one replaces it',
    inPlace({}, async (here) => {
      await previewDiagram('graph TD; A-->B', here.uri('previews'));
      await until(() => here.tabs().some((label) => label.includes('Diagram.md')));
      assert.equal(here.disk('previews/Diagram.md'), '```mermaid\ngraph TD; A-->B\n```\n');
      await previewDiagram('graph TD; A["```"]', here.uri('previews'));
      assert.equal(here.disk('previews/Diagram.md'), '````mermaid\ngraph TD; A["```"]\n````\n');
      assert.deepEqual(here.dirty(), []);
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    }),
  );
});
