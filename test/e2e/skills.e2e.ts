// A skill and a prompt file of the workspace: proposed, approved beside their text, run by their names in the composer.
import { expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { faultsOfFrame } from './support/faults.ts';
import { useSharedWindow } from './support/window.ts';

const SKILL = `---
name: deploy
description: Deploys the service.
argument-hint: "[where]"
allowed-tools: Read
---
Ship it to $ARGUMENTS.
`;
const soon = { timeout: 30_000 };
const window = useSharedWindow({ model: 'scripted', files: { '.agents/skills/deploy/SKILL.md': SKILL } });

test('a skill is proposed, shown whole, approved, run with its arguments, and has other tools asked about', async () => {
  const { vscode, panel, model, disk } = window();
  await panel.open();
  model.will([says('Hello.')]);
  await panel.send('Hello.');
  await panel.ended();
  expect(model.requests[0]?.text).not.toContain('Deploys the service.');
  await vscode.answerNotification('describes a skill that Tiller does not use', 'Show Skills');
  await vscode.pick('deploy');
  await vscode.pick('Approve…');
  await vscode.page.getByText('Ship it to $ARGUMENTS.').first().waitFor();
  await vscode.screenshot('skills/1-approval');
  await vscode.answerNotification('May the model use the skill deploy', 'Approve');
  // Until it is gone VS Code gives the focus back to the editor, which closes the list of the composer.
  await vscode.notification('May the model use the skill deploy').waitFor({ state: 'hidden' });

  const row = panel.get('suggestion-row').filter({ hasText: '[where] · Deploys the service.' });
  await panel.write('/depl');
  // The list has it as soon as the approval is kept.
  await row.waitFor();
  await panel.get('composer-input').press('Enter');
  model.will([calls('exec_command', { cmd: 'echo shipped > shipped' })], [says('Shipped.')]);
  const field = panel.get('composer-input');
  await expect.poll(() => field.inputValue(), soon).toBe('/deploy ');
  await field.pressSequentially('staging');
  await field.press('Enter');
  await panel.approval('command').waitFor();
  expect(await panel.card.innerText()).toContain('does not list this call');
  await panel.get('sent-mention').filter({ hasText: 'deploy' }).click();
  expect(await panel.get('sent-what').innerText()).toContain('Ship it to staging.');
  expect(await faultsOfFrame(await panel.frame())).toEqual([]);
  await vscode.screenshot('skills/2-run');
  await panel.answer();
  await panel.ended();
  expect(await disk('shipped')).toBe('shipped\n');
  const { text } = model.requests.at(-1) ?? { text: '' };
  expect(text).toContain('- deploy: Deploys the service. (file: ');
  expect(text).toContain('Ship it to staging.');
});
