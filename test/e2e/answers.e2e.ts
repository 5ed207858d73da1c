// What an answer shows beside prose, in a real VS Code: pictures of the workspace, formulas, and the buttons of its code.
import { beforeEach, expect, test } from 'vitest';
import { says } from '../support/modelServer.ts';
import { useSharedWindow } from './support/window.ts';

const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="20" height="10"/></svg>';
const window = useSharedWindow({
  model: 'scripted',
  settings: {},
  files: { 'notes.txt': 'one\ntwo\n', 'docs/curve.svg': PICTURE },
});
const soon = { timeout: 20_000 };

beforeEach(async () => {
  await window().panel.open();
  await window().panel.newThread();
});

test('shows pictures of the workspace and formulas, and loads nothing else', async () => {
  const { panel, model, vscode } = window();
  model.will([
    says('![The curve](docs/curve.svg)\n\n![Gone](docs/gone.svg)\n\n![Out](../../etc/a.png)\n\n$$\n\\frac{a}{b}\n$$\n'),
  ]);
  await panel.send('Explain it.');
  await panel.ended();
  const picture = panel.lastMessage().locator('img');
  await expect.poll(() => picture.count(), soon).toBe(1);
  const width = () =>
    picture.evaluate((image: Element) => (image instanceof HTMLImageElement ? image.naturalWidth : -1));
  await expect.poll(width, soon).toBe(20);
  await panel.lastMessage().getByText('image: Gone').waitFor();
  await panel.lastMessage().getByText('image: Out').waitFor();
  await panel.lastMessage().locator('math mfrac').waitFor();
  await vscode.screenshot('answers/picture', vscode.sideBar());
});

test('a diff in an answer is applied through the preview of changes', async () => {
  const { panel, model, vscode, disk } = window();
  model.will([says('```diff\n--- a/notes.txt\n+++ b/notes.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n```\n')]);
  await panel.send('Change it.');
  await panel.ended();
  await panel.get('code-apply').click();
  const apply = vscode.page.getByRole('button', { name: 'Apply', exact: true });
  await apply.waitFor();
  await vscode.page.locator('.edit-checkbox').first().check();
  await vscode.screenshot('answers/apply');
  expect(await disk('notes.txt')).toBe('one\ntwo\n');
  await apply.click();
  await expect.poll(async () => (await vscode.openFile('notes.txt'), vscode.text()), soon).toBe('one\nthree\n');
});

test('commands of an answer go into the terminal and are not run', async () => {
  const { panel, model, vscode, disk } = window();
  model.will([says('```sh\ntouch from-answer\n```\n')]);
  await panel.send('How?');
  await panel.ended();
  await panel.get('code-terminal').click();
  await vscode.page.locator('.terminal-wrapper').first().waitFor();
  await vscode.screenshot('answers/terminal');
  expect(await disk('from-answer')).toBeNull();
});
