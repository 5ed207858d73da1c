import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { ThreadMemories } from '../../src/core/rollout/threadMemories.ts';
import { SecretRedactor } from '../../src/core/util/secretRedactor.ts';
import { createStorage } from '../../src/node/storage/storage.ts';
import { showMemories } from '../../src/vscode/threads/showMemories.ts';
import { ScriptedUser } from './support/scriptedUser.ts';

suite('Show Memories', () => {
  test('lists the memories, newest first, and opens one to be edited; says so where there is none', async () => {
    const home = join(tmpdir(), `tiller-home-${randomUUID().slice(0, 8)}`);
    const ports = { storage: createStorage(home), keys: new SecretRedactor() };
    const user = new ScriptedUser({ pick: 'Fix' });
    try {
      await showMemories({ ...ports, home, isOn: () => true });
      await showMemories({ ...ports, home, isOn: () => false });
      const threadId = randomUUID();
      const about = {
        folder: '/w',
        updatedAt: '2026-11-23T10:00:00.000Z',
        trace: '- hi',
        summary: 'It was the lexer.',
      };
      await new ThreadMemories(ports).write({ threadId, title: 'Fix the parser', ...about });
      await showMemories({ ...ports, home, isOn: () => true });
      const document = vscode.window.activeTextEditor?.document;
      assert.equal(document?.uri.fsPath, join(home, 'memories', `${threadId}.md`));
      assert.match(document.getText(), /## Summary\n\nIt was the lexer\.\n$/);
      assert.deepEqual(user.shown, [
        'There are no memories yet.',
        'There are no memories: the setting “tiller.memory.enabled” is off.',
        'Memories | Select a memory to read or edit it',
        'Fix the parser (2026-11-23)',
      ]);
    } finally {
      user.restore();
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      rmSync(home, { recursive: true, force: true });
    }
  });
});
