// A server that a workspace names: proposed, approved, and used. Left out where there is no sandbox for it.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { useSharedWindow } from './support/window.ts';

const SERVER = readFileSync(new URL('../fixtures/mcp/scripted.mjs', import.meta.url), 'utf8');
const entry = {
  command: process.execPath,
  args: ['${workspaceFolder}/server.mjs'],
  sandbox: { writableRoots: ['${workspaceFolder}'] },
  // The next turn waits until it has started.
  required: true,
  startupTimeoutMs: 60_000,
};

describe.skipIf(noSandbox)('an MCP server of the workspace', () => {
  const window = useSharedWindow({
    model: 'scripted',
    files: { '.mcp.json': JSON.stringify({ mcpServers: { notes: entry } }), 'server.mjs': SERVER },
  });

  test('is proposed when a thread begins, and not started before the user has seen and approved all of it', async () => {
    const { vscode, panel, model } = window();
    await panel.open();
    model.will([says('Hello.')]);
    await panel.send('Hello.');
    await panel.ended();
    expect(model.requests[0]?.toolNames.filter((name) => name.startsWith('mcp__'))).toEqual([]);
    await vscode.answerNotification('asks Tiller to use the MCP server notes', 'Show MCP Servers');
    await vscode.pick('notes');
    await vscode.pick('Approve and Start…');
    const dialog = vscode.dialog('This workspace asks Tiller to use the MCP server notes (.mcp.json).');
    await dialog.waitFor();
    for (const fact of [
      `Command: ${process.execPath} '\${workspaceFolder}/server.mjs'`,
      'Working directory: ${workspaceFolder}',
      'Sandbox: it may write in ${workspaceFolder}, a temporary folder',
      'Network: none',
    ]) {
      expect(await dialog.innerText()).toContain(fact);
    }
    await vscode.screenshot('mcp/1-approval');
    await dialog.getByRole('button', { name: 'Approve and Start' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  test('has a tool that runs after an approval, and its row shows what it was given and what it returned', async () => {
    const { vscode, panel, model, disk } = window();
    model.will([calls('mcp__notes__write', { path: 'made.txt' })], [says('Written.')]);
    await panel.send('Write it.');
    await panel.card.waitFor();
    expect(await panel.card.innerText()).toContain('Writes a file.');
    expect(await disk('made.txt')).toBeNull();
    await vscode.screenshot('mcp/2-tool');
    await panel.answer();
    await panel.ended();
    expect(await disk('made.txt')).toBe('written by a server\n');
    expect(model.outputs).toEqual(['wrote made.txt']);
    const row = panel.get('tool-call').last();
    expect(await row.innerText()).toContain('Called write on notes');
    await vscode.screenshot('mcp/3-row');
  });

  test('has a prompt in the list at a /, and a resource in the list at an @', async () => {
    const { vscode, panel, model } = window();
    const field = panel.get('composer-input');
    await panel.write('');
    await field.pressSequentially('/notes:');
    await panel.get('suggestion-row').filter({ hasText: '/notes:greet' }).waitFor();
    await field.press('Enter');
    await vscode.answer('Ann', 'greet: who');
    await vscode.answer('', 'greet: how');
    await expect.poll(() => field.inputValue(), { timeout: 20_000 }).toBe('Greet Ann kindly.');
    await field.press('End');
    await field.pressSequentially(' See @notes:');
    await panel.get('suggestion-row').filter({ hasText: 'notes:One' }).waitFor();
    await vscode.screenshot('mcp/4-resource');
    await field.press('Enter');
    model.will([says('Hello Ann.')]);
    await field.press('Enter');
    await expect.poll(() => JSON.stringify(model.requests[0]?.input ?? ''), { timeout: 20_000 }).toContain('a note');
    expect(JSON.stringify(model.requests[0]?.input)).toContain('Greet Ann kindly. See @notes:One');
    await panel.ended();
  });
});
