// The command palette has a command of Tiller only while it can do something.
import { expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { ASK_ABOUT_COMMANDS } from './support/model.ts';
import { useSharedWindow } from './support/window.ts';

const window = useSharedWindow({ model: 'scripted', settings: ASK_ABOUT_COMMANDS, width: 1700 });
const NAMES = ['Open Chat', 'Approve', 'Stop', 'Delete Thread', 'Undo Patch', 'Show Pending Requests'];

async function offered(): Promise<readonly string[]> {
  const names = await window().vscode.offered(...NAMES.map((name) => `Tiller: ${name}`));
  return names.map((name) => name.replace('Tiller: ', ''));
}

test('the commands of a turn come with it, and go with it', async () => {
  const { panel, model, vscode } = window();
  await panel.open();
  await panel.get('empty-ready').waitFor();
  expect(await offered()).toEqual(['Open Chat']);
  model.will([calls('exec_command', { cmd: 'touch made' })], [says('Done.')]);
  await panel.send('Make it.');
  await panel.approval('command').waitFor();
  expect(await offered()).toEqual(['Open Chat', 'Approve', 'Stop', 'Delete Thread', 'Show Pending Requests']);
  await vscode.command('Tiller: Approve');
  await panel.ended();
  const patch = '*** Begin Patch\n*** Add File: new.txt\n+new\n*** End Patch';
  model.will([calls('apply_patch', { input: patch })], [says('Done.')]);
  await panel.send('And a file.');
  await panel.approveAll();
  expect(await offered()).toEqual(['Open Chat', 'Delete Thread', 'Undo Patch']);
});
