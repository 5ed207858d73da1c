// How it looks, in every theme and width: pictures to look at, and what a machine can find wrong with them.
import { expect, test } from 'vitest';
import { THEMES } from '../../scripts/vscode/page.mjs';
import { faultsOfFrame } from './support/faults.ts';
import { ASK_ABOUT_COMMANDS } from './support/model.ts';
import { useWindow } from './support/window.ts';

const WIDTHS = [260, 400, 900];
const THEME_NAMES = Object.keys(THEMES) as (keyof typeof THEMES)[];

const window = useWindow({ model: 'demo', seed: 11, width: 1600, settings: ASK_ABOUT_COMMANDS });

test('a decision that waits looks right in every theme and width', async () => {
  const { panel } = window();
  await panel.open();
  await panel.get('start-demo').click();
  await panel.approval('command').waitFor();
  await panel.answer();
  await panel.approval('patch').waitFor();
  await lookAtAll('waiting', THEME_NAMES);
  expect(await panel.get('jump-to-latest').count()).toBe(0);
}, 180_000);

test('a finished thread looks right in every theme and width', async () => {
  const { panel } = window();
  await panel.approveAll();
  await panel.ended();
  await panel.get('turn-fold').locator('summary').first().click();
  // The theme that is on comes first.
  await lookAtAll('finished', THEME_NAMES.toReversed());
}, 180_000);

async function lookAtAll(name: string, themes: (keyof typeof THEMES)[]): Promise<void> {
  const { vscode, panel } = window();
  const faults: string[] = [];
  for (const theme of themes) {
    await vscode.theme(theme);
    for (const width of WIDTHS) {
      expect(await vscode.resizeSideBar(width)).toBe(width);
      const place = `${name}-${theme}-${width}`;
      await vscode.screenshot(`appearance/${place}`, vscode.sideBar());
      faults.push(...(await faultsOfFrame(await panel.frame())).map((fault) => `${place}: ${fault}`));
    }
  }
  expect(faults).toEqual([]);
}
