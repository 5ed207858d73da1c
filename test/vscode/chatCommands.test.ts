import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import { ChatCommands } from '../../src/vscode/chat/chatCommands.ts';

suite('a new thread', () => {
  test('takes the focus with the empty thread, so that nothing the user opens afterwards is closed by it', async () => {
    const order: string[] = [];
    const slowly = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
    const chat = new ChatCommands({
      send: async () => {},
      threads: {
        submit: async () => {},
        access: { type: 'own' },
        state: null,
        clear: async () => {
          order.push('cleared');
          setImmediate(() => order.push('what the user does next'));
        },
      },
      view: {
        focusComposer: () => order.push('focused'),
        showWaiting: () => {},
        reveal: slowly,
        openInEditor: () => {},
        openInWindow: slowly,
      },
    });
    await chat.newThread();
    await slowly();
    assert.deepEqual(order, ['cleared', 'focused', 'what the user does next']);
  });
});
