import { expect, test } from 'vitest';
import { THEMES } from '../../scripts/vscode/page.mjs';
import { useWindow } from './support/window.ts';

const window = useWindow();

test('the panel opens in the secondary side bar, in every width and theme', async () => {
  const { vscode, panel } = window();
  await vscode.openChat();
  await panel.get('composer-input').waitFor();
  expect(await vscode.sideBar().getAttribute('class')).toContain('auxiliarybar');
  for (const width of [260, 900, 400]) {
    expect(await vscode.resizeSideBar(width)).toBe(width);
    await vscode.screenshot(`panel/width-${width}`);
  }
  for (const theme of Object.keys(THEMES) as (keyof typeof THEMES)[]) {
    await vscode.theme(theme);
    await panel.get('composer-input').waitFor();
    await vscode.screenshot(`panel/${theme}`);
  }
});
