import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import { ChatCommands } from '../../src/vscode/chat/chatCommands.ts';

suite('a new thread', () => {
  test('takes the focus with the empty thread, so that nothing the user opens afterwards is closed by it', async () => {
    const order: string[] = [];
    const commands = new ChatCommands({
      threads: {
        submit: async () => {},
        clear: async () => {
          order.push('cleared');
          setImmediate(() => order.push('what the user does next'));
        },
      },
      view: { focusComposer: () => order.push('focused'), insertText: () => {}, showWaiting: () => {} },
    });
    await commands.newThread();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(order, ['cleared', 'focused', 'what the user does next']);
  });
});
