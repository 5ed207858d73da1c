// The model menu at the chip, in a real VS Code with a server on the machine.
import { expect, test } from 'vitest';
import { says } from '../support/modelServer.ts';
import { useSharedWindow } from './support/window.ts';

const soon = { timeout: 20_000 };
const window = useSharedWindow({
  isLast: true,
  model: 'local',
  settings: { 'tiller.provider': 'ollama', 'tiller.model': 'qwen3-coder:30b' },
});

test('another model is chosen by keyboard at the chip, and answers the next message', async () => {
  const { vscode, panel, model } = window();
  await panel.open();
  await panel.get('empty-ready').waitFor();
  model.will([says('Hello from the first.')]);
  await panel.send('Hi.');
  await panel.ended();
  await panel.get('pick-model').press('Enter');
  await panel.page.getByRole('option', { name: 'devstral' }).waitFor();
  const chosen = panel.page.getByRole('option', { checked: true });
  await expect.poll(() => chosen.innerText(), soon).toMatch(/^qwen3-coder:30b/);
  // Above its chip, within the panel.
  const menu = await panel.get('model-menu').boundingBox();
  const chip = await panel.get('pick-model').boundingBox();
  expect(menu && chip && menu.y + menu.height <= chip.y && chip.y - menu.y - menu.height < 12).toBe(true);
  await vscode.screenshot('model-menu/1-open');
  await panel.get('model-search').pressSequentially('devs');
  await panel.get('model-search').press('Enter');
  await expect.poll(() => panel.get('pick-model').getAttribute('aria-label'), soon).toContain('devstral');
  model.will([says('Hello from the second.')]);
  await panel.send('And you?');
  await panel.ended();
  expect(model.requests[0]?.body['model']).toBe('devstral:latest');
});

test('mode and sandbox have a menu of the same kind', async () => {
  const { vscode, panel } = window();
  await panel.open();
  await panel.get('pick-box').click();
  await vscode.screenshot('model-menu/2-sandbox');
  await panel.page.getByRole('menuitemradio', { name: 'Always ask' }).click();
  await expect.poll(() => panel.get('pick-mode').getAttribute('aria-label'), soon).toBe('Mode: Always ask');
  await panel.get('pick-mode').press('ArrowDown');
  await panel.page.getByRole('menuitemradio', { name: 'Plan' }).press('Enter');
  await expect.poll(() => panel.get('pick-mode').getAttribute('aria-label'), soon).toBe('Mode: Plan');
  expect(await panel.get('pick-box').getAttribute('aria-label')).toBe('Commands run in: Read-only');
});
