import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { ChatCommands } from '../../src/vscode/chat/chatCommands.ts';

suite('a new thread', () => {
  test('takes the focus with the empty thread, so that nothing the user opens afterwards is closed by it', async () => {
    const order: string[] = [];
    const chat = new ChatCommands({
      threads: {
        submit: async () => {},
        access: { type: 'own' },
        state: null,
        clear: async () => {
          order.push('cleared');
          setImmediate(() => order.push('what the user does next'));
        },
      },
      view: { focusComposer: () => order.push('focused'), showWaiting: () => {} },
    });
    const { executeCommand } = vscode.commands;
    // A real one would start the extension, and other tests have their own copy of it.
    const slowly = async () => new Promise((resolve) => setTimeout(resolve, 20));
    Object.assign(vscode.commands, { executeCommand: slowly });
    try {
      await chat.newThread();
    } finally {
      Object.assign(vscode.commands, { executeCommand });
    }
    await slowly();
    assert.deepEqual(order, ['cleared', 'focused', 'what the user does next']);
  });
});
