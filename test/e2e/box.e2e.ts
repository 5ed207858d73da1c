// What a person sees of the box around commands. Left out, with the reason, where there is none.
import { beforeEach, describe, expect, test } from 'vitest';
import { noBox } from '../support/boxed.ts';
import { calls, says } from '../support/modelServer.ts';
import { useWindow } from './support/window.ts';

const soon = { timeout: 10_000 };

describe.skipIf(noBox)('the box', () => {
  const window = useWindow({ model: 'scripted' });

  beforeEach(async () => {
    await window().panel.open();
    await window().panel.newThread();
  });

  test('lets a command run unasked, and the status bar and the panel say what surrounds it', async () => {
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

  test('has a name for agents moved away, and puts it back at one click', async () => {
    const { vscode, panel, model, disk } = window();
    model.will([calls('exec_command', { cmd: 'mkdir .claude; echo x > .claude/rules' })], [says('Oh.')]);
    await panel.send('Make rules.');
    await panel.ended();
    expect(await disk('.claude/rules')).toBeNull();
    await vscode.notification('Tiller: The command made .claude, which decides').waitFor();
    await vscode.screenshot('box/2-moved-away');
    await vscode.page.getByRole('button', { name: 'Put Back' }).first().click();
    await expect.poll(() => disk('.claude/rules'), soon).toBe('x\n');
    await vscode.page.getByText('.claude is back.', { exact: true }).first().waitFor();
    await panel.get('put-back').waitFor({ state: 'detached' });
  });

  test('offers the way back in the panel, too, until it was taken', async () => {
    const { vscode, panel, model, disk } = window();
    model.will([calls('exec_command', { cmd: 'mkdir .idea; echo x > .idea/rules' })], [says('Oh.')]);
    // What the test before was told lies over the composer.
    await vscode.command('Notifications: Clear All Notifications');
    await panel.send('Make rules.');
    await panel.ended();
    expect(await panel.get('warning').textContent()).toContain('.idea, which decides what editors and agents run');
    await vscode.screenshot('box/3-put-back');
    await panel.get('put-back').click();
    await expect.poll(() => disk('.idea/rules'), soon).toBe('x\n');
    await panel.get('put-back').waitFor({ state: 'detached' });
    expect(await panel.get('warning').textContent()).toContain('.idea');
  });
});
