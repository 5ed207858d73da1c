// The appearance of the panel in VS Code: its place, the themes of VS Code, and axe. States that need no
// VS Code are checked in test/panel, in every theme and width.
import { beforeEach, expect, test } from 'vitest';
import { THEMES } from '../../scripts/vscode/page.mjs';
import { faultsOfFrame } from './support/faults.ts';
import { ASK_ABOUT_COMMANDS } from './support/model.ts';
import { useWindow } from './support/window.ts';

const WIDTHS = [260, 900, 400];
const THEME_NAMES = Object.keys(THEMES) as (keyof typeof THEMES)[];

const window = useWindow({ model: 'demo', seed: 11, width: 1600, settings: ASK_ABOUT_COMMANDS });

beforeEach(async () => {
  const { vscode } = window();
  await vscode.openChat();
});

test('the panel opens in the secondary side bar, in every width', async () => {
  const { vscode, panel } = window();
  await panel.get('composer-input').waitFor();
  expect(await vscode.sideBar().getAttribute('class')).toContain('auxiliarybar');
  await vscode.command('Tiller: New Thread');
  await panel.get('empty-ready').waitFor();
  for (const width of WIDTHS) await looksRight('empty', width);
});

test('a pending approval has no visual fault in any theme', async () => {
  const { vscode, panel } = window();
  await panel.get('start-demo').click();
  await panel.approval('command').waitFor();
  await panel.answer();
  await panel.approval('patch').waitFor();
  for (const theme of THEME_NAMES) {
    await vscode.theme(theme);
    await looksRight(`waiting-${theme}`, 400);
  }
  expect(await panel.get('jump-to-latest').count()).toBe(0);
});

test('a finished thread has no visual fault in any width', async () => {
  const { panel } = window();
  await panel.approveAll();
  await panel.ended();
  await panel.get('turn-fold').locator('summary').first().click();
  for (const width of WIDTHS) await looksRight('finished', width);
});

async function looksRight(name: string, width: number): Promise<void> {
  const { vscode, panel } = window();
  expect(await vscode.resizeSideBar(width)).toBe(width);
  await vscode.screenshot(`appearance/${name}-${width}`, vscode.sideBar());
  expect(await faultsOfFrame(await panel.frame())).toEqual([]);
}
