// Edit at the Cursor by the keyboard alone: the line of instruction, the change at its place, Keep and Undo, Escape.
import { describe, expect, test } from 'vitest';
import { calls, hangs, says } from '../support/modelServer.ts';
import { useSharedWindow } from './support/window.ts';

const soon = { timeout: 30_000 };
const TEXT = 'export function greet(name) {\n  return "Hello " + name;\n}\n';
const CHANGED = TEXT.replace('"Hello " + name', '`Hello ${name}`');
const patch = (file: string) =>
  calls('apply_patch', {
    input: `*** Begin Patch\n*** Update File: ${file}\n@@\n-  return "Hello " + name;\n+  return \`Hello \${name}\`;\n*** End Patch`,
  });

describe('an edit at the cursor', () => {
  const window = useSharedWindow({ model: 'scripted', files: { 'greet.js': TEXT } });

  /** Also a text without a command. */
  const lens = (text: string) => window().vscode.page.locator('.codelens-decoration').filter({ hasText: text }).first();

  /** Presses the key in line 2 and enters the instruction. */
  async function ask(instruction: string): Promise<void> {
    const { vscode } = window();
    await vscode.openFile('greet.js');
    await vscode.editor().locator('.view-line').nth(1).click();
    await vscode.page.keyboard.press('Control+Alt+j');
    await vscode.page.locator('.quick-input-title').filter({ hasText: 'Edit at the Cursor' }).waitFor(soon);
    await vscode.page.keyboard.type(instruction);
    await vscode.page.keyboard.press('Enter');
  }

  test('lands at its place, unsaved, without the panel, and is undone and kept by the keys of any change', async () => {
    const { vscode, model, disk } = window();
    const { keyboard } = vscode.page;
    const isPanelShown = await vscode.isViewTabActive('Tiller');
    model.will([patch('greet.js')], [says('Done.')], [patch('greet.js')], [says('Done.')]);
    await ask('use a template literal');
    await lens('Tiller: use a template literal').waitFor(soon);
    expect(await vscode.text()).toBe(CHANGED);
    expect(await vscode.isDirty('greet.js')).toBe(true);
    expect(await disk('greet.js')).toBe(TEXT);
    await vscode.screenshot('edit/1-changed');
    await keyboard.press('Control+Alt+n');
    await expect.poll(() => vscode.text(), soon).toBe(TEXT);
    await lens('Tiller: use a template literal').waitFor({ state: 'hidden', ...soon });

    // Arrow up brings the last instruction back.
    await keyboard.press('Control+Alt+j');
    await vscode.page.locator('.quick-input-title').filter({ hasText: 'Edit at the Cursor' }).waitFor(soon);
    await keyboard.press('ArrowUp');
    await expect.poll(() => vscode.quickInput().inputValue(), soon).toBe('use a template literal');
    await vscode.screenshot('edit/2-line');
    await keyboard.press('Enter');
    await lens('Tiller: use a template literal').waitFor(soon);
    await keyboard.press('Control+Alt+y');
    await lens('Tiller: use a template literal').waitFor({ state: 'hidden', ...soon });
    expect(await vscode.text()).toBe(CHANGED);
    expect(await vscode.isViewTabActive('Tiller')).toBe(isPanelShown);
  });

  test('shows what it does, stops at Escape, and opens as a thread', async () => {
    const { vscode, panel, model } = window();
    const { keyboard } = vscode.page;
    model.will([hangs()], [says('Nothing to do.')]);
    await ask('make it async');
    await lens('Tiller is working: make it async').waitFor(soon);
    await expect.poll(() => model.requests.length, soon).toBe(1);
    await vscode.screenshot('edit/3-running');
    // The input has given the focus back to the editor, which takes the key.
    await vscode.page.locator('.quick-input-widget').waitFor({ state: 'hidden', ...soon });
    await vscode.page.locator('.monaco-editor.focused').waitFor(soon);
    await keyboard.press('Escape');
    await lens('make it async').waitFor({ state: 'hidden', ...soon });

    await ask('is this right?');
    await lens('Tiller has changed nothing: Nothing to do.').waitFor(soon);
    await vscode.screenshot('edit/4-answered');
    await vscode.codeLens('Open as Thread').click();
    await panel.get('user-message').filter({ hasText: 'is this right?' }).waitFor(soon);
  });
});
