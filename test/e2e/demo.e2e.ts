// The demo task as a user does it for the first time, and how the panel looks in VS Code: its place, the themes of VS Code, and
// what axe finds. test/panel shows every state, theme and width without VS Code.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { THEMES } from '../../scripts/vscode/page.mjs';
import { faultsOfFrame } from './support/faults.ts';
import { ASK_ABOUT_COMMANDS } from './support/model.ts';
import { useSharedWindow } from './support/window.ts';

const WIDTHS = [260, 900, 400];
const THEME_NAMES = Object.keys(THEMES) as (keyof typeof THEMES)[];

const window = useSharedWindow({ isNew: true, model: 'demo', seed: 11, width: 1600, settings: ASK_ABOUT_COMMANDS });
const soon = { timeout: 10_000 };

test('the keyboard alone is enough, in a window that was just opened', async () => {
  const { vscode, panel, disk, sample, testPasses } = window();
  const { keyboard } = vscode.page;
  const composer = panel.get('composer-input');
  const focused = panel.page.locator(':focus');
  const focusIsIn = async (place: typeof composer) => {
    // A failure says where the focus is instead.
    const count = async () => ((await place.count()) === 1 ? 'here' : panel.focusPlace());
    await expect.poll(count, soon).toBe('here');
  };
  await panel.focusByKey();
  await keyboard.type('Find out why the tests fail and fix it');
  await keyboard.press('Enter');

  await panel.approval('command').waitFor();
  await focusIsIn(panel.card.locator(':focus'));
  await panel.takesKeys();
  await keyboard.press('d');
  await focusIsIn(panel.get('decision-deny-word').and(focused));
  await vscode.screenshot('demo/keyboard-1-deny');
  await keyboard.press('Escape');
  await focusIsIn(panel.get('decision-approve').and(focused));
  await keyboard.press('t');
  await panel.approval('patch').waitFor();
  await focusIsIn(panel.card.locator(':focus'));
  await vscode.screenshot('demo/keyboard-2-patch');
  await panel.takesKeys();
  await keyboard.press('Enter');
  // The tests were approved for the thread: no other request follows.
  await panel.ended();
  await vscode.screenshot('demo/keyboard-3-done');
  expect(await disk(sample.seeded.path)).toContain(sample.seeded.right);
  expect(await testPasses()).toBe(true);

  await focusIsIn(composer.and(focused));
  await keyboard.type('And again');
  expect(await composer.inputValue()).toBe('And again');
  await composer.fill('');
});

test('the steps of the walkthrough are done with what they are about', async () => {
  const { vscode, disk, sample } = window();
  await vscode.command('View: Toggle Primary Side Bar Visibility');
  await vscode.command('Tiller: Open Walkthrough');
  const step = (name: string) => vscode.page.locator('.getting-started-step').getByRole('checkbox', { name });
  for (const name of ['Choose a model', 'Ask for a change', 'Approve or deny']) {
    await expect.poll(() => step(name).getAttribute('aria-checked'), { timeout: 30_000 }).toBe('true');
  }
  expect(await step('Undo what was changed').getAttribute('aria-checked')).toBe('false');
  await vscode.screenshot('demo/walkthrough');
  await vscode.command('Tiller: Undo Patch');
  await expect.poll(() => step('Undo what was changed').getAttribute('aria-checked'), { timeout: 30_000 }).toBe('true');
  await expect.poll(() => disk(sample.seeded.path), soon).toBe(sample.files[sample.seeded.path]);
  await vscode.command('View: Close All Editors');
  await vscode.command('View: Toggle Primary Side Bar Visibility');
});

test('the buttons of the panel are enough, and Ctrl+Z and Undo Patch revert the change', async () => {
  const { vscode, panel, disk, sample, testPasses } = window();
  const { path: file, right, wrong } = sample.seeded;
  const { keyboard } = vscode.page;
  await panel.open();
  await panel.newThread();
  expect(await testPasses()).toBe(false);

  await panel.get('start-demo').click();
  await panel.approval('command').waitFor();
  await vscode.screenshot('demo/1-command');
  await panel.answer();
  await panel.approval('patch').waitFor();
  await vscode.screenshot('demo/2-patch');
  expect(await disk(file)).toBe(sample.files[file]);
  await panel.answer();
  expect(await panel.approveAll()).toEqual(['approval-command']);
  await panel.ended();
  await vscode.screenshot('demo/3-done');
  expect(await disk(file)).toContain(right);
  expect(await testPasses()).toBe(true);
  expect(await panel.lastMessage().innerText()).toContain('passes again');

  // A file that was closed when it was changed.
  await vscode.openFile(file);
  await expect.poll(() => vscode.text(), soon).toContain(right);
  await vscode.editor().locator('.view-line').first().click();
  await keyboard.press('Control+z');
  await expect.poll(() => vscode.text(), soon).toContain(wrong);
  expect(await vscode.text()).not.toContain(right);
  await vscode.screenshot('demo/4-ctrl-z');
  await keyboard.press('Control+y');
  await keyboard.press('Control+s');
  await expect.poll(() => vscode.isDirty(path.basename(file)), soon).toBe(false);

  await vscode.command('Tiller: Undo Patch');
  await expect.poll(() => disk(file), soon).toBe(sample.files[file]);
  await expect.poll(() => vscode.isDirty(path.basename(file)), soon).toBe(false);
  await vscode.screenshot('demo/5-undo-patch');
});

test('the panel opens in the secondary side bar, in every width', async () => {
  const { vscode, panel } = window();
  await vscode.openChat();
  await panel.get('composer-input').waitFor();
  expect(await vscode.sideBar().getAttribute('class')).toContain('auxiliarybar');
  await vscode.command('Tiller: New Thread');
  await panel.get('empty-ready').waitFor();
  for (const width of WIDTHS) await fits('empty', width);
  expect(await faultsOfFrame(await panel.frame())).toEqual([]);
});

// test/panel asks axe about every scene in the themes of this file.
test('a decision that waits has the colours that test/panel has in every theme', async () => {
  const { vscode, panel, configure } = window();
  await panel.open();
  await panel.newThread();
  await panel.get('start-demo').click();
  await panel.approval('command').waitFor();
  await panel.answer();
  await panel.approval('patch').waitFor();
  for (const theme of THEME_NAMES) {
    await configure({ 'workbench.colorTheme': THEMES[theme].id });
    await vscode.page.locator(`.monaco-workbench.${THEMES[theme].class}`).waitFor();
    const expected = await coloursOf(theme);
    const shown = () => shownColours(Object.keys(expected));
    await expect.poll(shown, soon).toEqual(expected);
    await fits(`waiting-${theme}`, 400);
  }
  expect(await faultsOfFrame(await panel.frame())).toEqual([]);
  expect(await panel.get('jump-to-latest').count()).toBe(0);
});

/** The panel is as wide as the side bar, and scrolls only down. */
async function fits(name: string, width: number): Promise<void> {
  const { vscode, panel } = window();
  expect(await vscode.resizeSideBar(width)).toBe(width);
  await vscode.screenshot(`appearance/${name}-${width}`, vscode.sideBar());
  const isWider = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
  expect(await (await panel.frame()).evaluate(isWider)).toBe(false);
}

/** The variables of a theme as test/panel has them. */
async function coloursOf(theme: keyof typeof THEMES): Promise<Record<string, string>> {
  const text = await readFile(path.join(import.meta.dirname, '../webview/preview/themes.css'), 'utf8');
  const block = text.split(`:root[data-theme="${THEMES[theme].label}"] {`)[1]?.split('}')[0] ?? '';
  return Object.fromEntries([...block.matchAll(/(--vscode-[\w-]+): (.*);/g)].map(([, name, value]) => [name, value]));
}

/** The same variables as VS Code sets them in the panel. */
async function shownColours(names: readonly string[]): Promise<Record<string, string>> {
  const frame = await window().panel.frame();
  const values: string[] = await frame.evaluate(
    `${JSON.stringify(names)}.map((name) => document.documentElement.style.getPropertyValue(name))`,
  );
  // The browser writes the names of fonts with other quotation marks.
  return Object.fromEntries(names.map((name, index) => [name, values[index]?.replaceAll("'", '"') ?? '']));
}
