// What a user sees of the box around commands. Left out, with the reason, where there is none.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { commandLines } from '../support/processes.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { calls, says } from '../support/modelServer.ts';
import { hostProcess, hostRestarted } from './support/hostProcess.ts';
import { useSharedWindow } from './support/window.ts';

/** The mount points of a sandbox in a workspace, and the mark beside them. */
const MOUNT_POINTS = ['.git', '.tiller-sandbox', '.vscode'];
const soon = { timeout: 10_000 };

describe.skipIf(noSandbox)('the box', () => {
  // After the kill, the next host may put under review what the command would have changed.
  const window = useSharedWindow({ isLast: true, model: 'scripted' });

  beforeEach(async () => {
    await window().panel.open();
    await window().panel.newThread();
  });

  test('lets a command run unasked, and the status bar and the panel describe its limits', async () => {
    const { vscode, panel, model, disk } = window();
    model.will([calls('exec_command', { cmd: 'echo in > made; echo out > /etc/tiller-e2e' })], [says('Made.')]);
    await panel.send('Make it.');
    await panel.ended();
    expect(await disk('made')).toBe('in\n');
    expect(model.outputs.at(-1)).toContain('Read-only file system');
    expect(await panel.get('pick-box').getAttribute('aria-label')).toBe('Commands run in: Workspace');
    await vscode.status().hover();
    await vscode.page.getByText('Commands run in a sandbox: they write in this workspace only').first().waitFor();
    await vscode.screenshot('box/1-status');
  });

  test('lets a model review commands in it, from the choice in the menu until the choice is taken back', async () => {
    const { vscode, panel, model, disk } = window();
    const choose = async (label: string) => {
      await panel.get('pick-box').click();
      await panel.get('sandbox-menu').getByRole('menuitemradio', { name: label }).click();
    };
    await choose('Always ask');
    await choose('A model reviews');
    await expect.poll(() => panel.get('pick-mode').getAttribute('aria-label'), soon).toBe('Mode: A model reviews');
    const verdict = (given: 'allow' | 'ask', reason: string) => [says(JSON.stringify({ verdict: given, reason }))];
    model.will(
      [calls('exec_command', { cmd: 'touch reviewed' })],
      verdict('allow', 'You have asked for it.'),
      [calls('exec_command', { cmd: 'touch asked' })],
      verdict('ask', 'You have not asked for this file.'),
      [says('Made.')],
    );
    await panel.send('Make the file reviewed.');
    await panel.get('approval-review').getByText('You have not asked for this file.').waitFor();
    expect([await disk('reviewed'), await disk('asked')]).toEqual(['', null]);
    await vscode.screenshot('box/5-review');
    await panel.answer();
    await panel.ended();
    expect(await disk('asked')).toBe('');
    await choose('Ask me');
    await choose('Ask on request');
    await expect.poll(() => panel.get('pick-mode').getAttribute('aria-label'), soon).toBe('Mode: Agent');
  });

  test('has a protected name moved away, and restores it with one click', async () => {
    const { vscode, panel, model, disk } = window();
    model.will([calls('exec_command', { cmd: 'mkdir .claude; echo x > .claude/rules' })], [says('Oh.')]);
    await panel.send('Make rules.');
    await panel.ended();
    expect(await disk('.claude/rules')).toBeNull();
    await vscode.notification('Tiller: The command made .claude, which can make').waitFor();
    await vscode.screenshot('box/2-moved-away');
    await vscode.page.getByRole('button', { name: 'Restore', exact: true }).first().click();
    await expect.poll(() => disk('.claude/rules'), soon).toBe('x\n');
    await vscode.page.getByText('.claude was restored.', { exact: true }).first().waitFor();
    await panel.get('put-back').waitFor({ state: 'detached' });
  });

  test('offers to restore it in the panel, too, until that is done', async () => {
    const { vscode, panel, model, disk } = window();
    model.will([calls('exec_command', { cmd: 'mkdir .idea; echo x > .idea/rules' })], [says('Oh.')]);
    await panel.send('Make rules.');
    await panel.ended();
    expect(await panel.get('warning').textContent()).toContain('.idea, which can make editors and agents run code');
    await vscode.screenshot('box/3-put-back');
    await panel.get('put-back').click();
    await expect.poll(() => disk('.idea/rules'), soon).toBe('x\n');
    await panel.get('put-back').waitFor({ state: 'detached' });
    expect(await panel.get('warning').textContent()).toContain('.idea');
  });

  test('shows no folder of its own in the Explorer, whether a command is short or long', async () => {
    const { vscode, panel, model, folder } = window();
    await vscode.command('View: Show Explorer');
    const shown = await vscode.watchExplorerRows();
    const rows = async () => (await vscode.explorerRows()).toSorted();
    for (const [name, cmd] of [
      ['short', 'true > made-1'],
      ['long', 'true > made-2; sleep 2'],
    ] as const) {
      model.will([calls('exec_command', { cmd })], [says('Made.')]);
      await panel.send(`Make it: ${name}.`);
      await panel.ended();
      // When the Explorer shows it, it has handled all earlier events.
      writeFileSync(path.join(folder, `seen-${name}`), '');
      await vscode.explorerItem(`seen-${name}`).waitFor();
      await expect.poll(() => readdirSync(folder), { timeout: 500 }).not.toContain('.vscode');
      await expect.poll(rows, soon).toEqual(readdirSync(folder).toSorted());
    }
    expect(await shown()).toEqual(expect.arrayContaining(['made-1', 'made-2', 'seen-long']));
    expect((await shown()).filter((name) => MOUNT_POINTS.includes(name))).toEqual([]);
    await vscode.screenshot('box/4-explorer');
  });

  test('shows settings of the workspace that the user writes while a command runs', async () => {
    const { vscode, panel, model, folder } = window();
    await vscode.command('View: Show Explorer');
    model.will(
      [calls('exec_command', { cmd: 'echo > begun; until [ -e .vscode/settings.json ]; do sleep 0.1; done' })],
      [says('Seen.')],
    );
    await panel.send('Wait.');
    await vscode.explorerItem('begun').waitFor();
    expect(await vscode.explorerRows()).not.toContain('.vscode');
    writeFileSync(path.join(folder, '.vscode', 'settings.json'), '{}\n');
    await vscode.explorerItem('.vscode').waitFor();
    await panel.ended();
    await expect.poll(() => readdirSync(folder), soon).not.toContain('.tiller-sandbox');
    expect(await vscode.explorerRows()).toContain('.vscode');
    rmSync(path.join(folder, '.vscode'), { recursive: true });
  });

  test('leaves the folder unchanged when the extension host is killed in the middle of a command', async () => {
    const { vscode, panel, model, folder } = window();
    const before = readdirSync(folder);
    model.will([calls('exec_command', { cmd: 'sleep 60.5; touch never' })]);
    await panel.send('Sleep.');
    await expect.poll(commandLines, soon).toContain('sleep 60.5');
    expect(readdirSync(folder)).toEqual([...before, ...MOUNT_POINTS].toSorted());
    const killed = (await hostProcess(vscode)) ?? 0;
    process.kill(killed, 'SIGKILL');
    await expect.poll(() => readdirSync(folder), soon).toEqual(before);
    // The next host ends with the window only if it has started before.
    await hostRestarted(vscode, killed);
  });
});
