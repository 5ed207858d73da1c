// How it looks, in every theme and width: pictures to look at, and what a machine can find wrong with them.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { THEMES } from '../../scripts/vscode/page.mjs';
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
  const { vscode } = window();
  const faults: string[] = [];
  for (const theme of themes) {
    await vscode.theme(theme);
    for (const width of WIDTHS) {
      expect(await vscode.resizeSideBar(width)).toBe(width);
      const place = `${name}-${theme}-${width}`;
      await vscode.screenshot(`appearance/${place}`, vscode.sideBar());
      faults.push(...(await faultsOfPage()).map((fault) => `${place}: ${fault}`));
    }
  }
  expect(faults).toEqual([]);
}

/** What there is inside the frame. */
interface Page {
  readonly axe: typeof import('axe-core');
  readonly document: { readonly documentElement: { readonly scrollWidth: number; readonly clientWidth: number } };
}

/** What axe calls serious or critical, and whatever is wider than the page. */
async function faultsOfPage(): Promise<string[]> {
  const { panel } = window();
  const frame = await panel.frame();
  if (!(await frame.evaluate('typeof axe === "object"'))) await frame.evaluate(await axeSource());
  return frame.evaluate(async () => {
    const { axe, document } = globalThis as unknown as Page;
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    const found = grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`);
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth ? [...found, `scrolls sideways: ${scrollWidth} in ${clientWidth}`] : found;
  });
}

function axeSource(): Promise<string> {
  return readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
}
