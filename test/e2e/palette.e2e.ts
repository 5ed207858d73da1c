// The command palette has a command of Tiller only while it can do something.
import { expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { ASK_ABOUT_COMMANDS } from './support/model.ts';
import { useWindow } from './support/window.ts';

const window = useWindow({ model: 'scripted', settings: ASK_ABOUT_COMMANDS });
const NAMES = ['Focus', 'Approve', 'Interrupt', 'Delete Thread', 'Undo Patch', 'Show Pending Requests'];

async function offered(): Promise<readonly string[]> {
  const names: string[] = [];
  for (const name of NAMES) if (await window().vscode.offers(`Tiller: ${name}`)) names.push(name);
  return names;
}

test('the commands of a turn come with it, and go with it', async () => {
  const { panel, model, vscode } = window();
  await panel.open();
  await panel.get('empty-ready').waitFor();
  expect(await offered()).toEqual(['Focus']);
  model.will([calls('exec_command', { cmd: 'touch made' })], [says('Done.')]);
  await panel.send('Make it.');
  await panel.approval('command').waitFor();
  expect(await offered()).toEqual(['Focus', 'Approve', 'Interrupt', 'Delete Thread', 'Show Pending Requests']);
  await vscode.command('Tiller: Approve');
  await panel.ended();
  const patch = '*** Begin Patch\n*** Add File: new.txt\n+new\n*** End Patch';
  model.will([calls('apply_patch', { input: patch })], [says('Done.')]);
  await panel.send('And a file.');
  await panel.approveAll();
  expect(await offered()).toEqual(['Focus', 'Delete Thread', 'Undo Patch']);
});
