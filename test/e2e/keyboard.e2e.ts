// A working day without a pointer: mention, approvals, an earlier message edited with its files, a command, plan mode.
import { expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { useSharedWindow } from './support/window.ts';

const soon = { timeout: 20_000 };
const window = useSharedWindow({ model: 'scripted', files: { 'notes.txt': 'one\ntwo\n', 'build/old.txt': 'old\n' } });

const EDIT = '*** Begin Patch\n*** Update File: notes.txt\n@@\n-one\n+ONE\n two\n*** End Patch\n';
const PLAN = 'I have read it.\n\n<proposed_plan>\n# Write a three\n\n1. `notes.txt` gets a three.\n</proposed_plan>';

test('a message with a mention is sent, answered about, edited with its files, planned and run by keyboard', async () => {
  const { vscode, panel, model, disk } = window();
  const { keyboard } = vscode.page;
  const composer = panel.get('composer-input');
  const focused = panel.page.locator(':focus');
  const focusIsIn = (place: typeof composer) => expect.poll(() => place.and(focused).count(), soon).toBe(1);
  const moveTo = async (testid: string, key: 'Tab' | 'Shift+Tab') => {
    const at = () => focused.getAttribute('data-testid');
    for (let left = 40; left > 0 && (await at()) !== testid; left--) await keyboard.press(key);
    expect(await at()).toBe(testid);
  };
  const words = () => panel.get('user-message').allInnerTexts();

  model.will(
    [calls('apply_patch', { input: EDIT })],
    [calls('exec_command', { cmd: 'rm -rf build' })],
    [says('First.')],
  );
  await panel.focusByKey();
  await keyboard.type('Shout in @note');
  await panel.get('suggestion-row').filter({ hasText: 'notes.txt' }).waitFor();
  await keyboard.press('Enter');
  await expect.poll(() => composer.inputValue(), soon).toBe('Shout in @notes.txt ');
  await keyboard.press('Enter');
  await panel.approval('patch').waitFor();
  await focusIsIn(panel.get('decision-approve'));
  expect(model.requests[0]?.text).toContain('one\\ntwo');
  await panel.takesKeys();
  await keyboard.press('Enter');
  await panel.approval('command').waitFor();
  // Enter must not run a command that can destroy work: the focus is on the denial.
  await focusIsIn(panel.get('decision-deny'));
  await vscode.screenshot('keyboard-day/1-destructive');
  await panel.takesKeys();
  await keyboard.press('d');
  await focusIsIn(panel.get('decision-deny-word'));
  await keyboard.type('Keep the build.');
  await keyboard.press('Enter');
  await panel.ended();
  expect(await disk('notes.txt')).toBe('ONE\ntwo\n');
  expect(await disk('build/old.txt')).toBe('old\n');
  expect(model.outputs.at(-1)).toContain('Keep the build.');

  // The message is edited; its files are restored after a preview.
  await focusIsIn(composer);
  await moveTo('user-message-edit', 'Shift+Tab');
  await keyboard.press('Enter');
  await focusIsIn(composer);
  await moveTo('edit-restore-files', 'Shift+Tab');
  await keyboard.press('Space');
  await moveTo('composer-input', 'Tab');
  // Not Ctrl+A: VS Code selects all once more a moment later, and with it what was typed in between.
  await keyboard.press('End');
  await keyboard.press('Shift+Home');
  await keyboard.type('Say nothing.');
  await vscode.screenshot('keyboard-day/2-edit');
  model.will([says('Second.')]);
  await keyboard.press('Enter');
  await vscode.quickRow('notes.txt').waitFor();
  await keyboard.press('Enter');
  await expect.poll(words, soon).toEqual(['Say nothing.']);
  await panel.ended();
  expect(await disk('notes.txt')).toBe('one\ntwo\n');
  expect(model.requests.at(-1)?.text).not.toContain('First.');

  // A picker of VS Code that is left gives the focus back to the control that has opened it.
  await focusIsIn(composer);
  await moveTo('composer-add', 'Tab');
  await keyboard.press('Enter');
  await vscode.quickRow('Files, Folders and Images…').waitFor();
  await keyboard.press('Escape');
  await focusIsIn(panel.get('composer-add'));
  await moveTo('pick-model', 'Tab');
  await keyboard.press('Enter');
  await moveTo('model-add', 'Tab');
  await keyboard.press('Enter');
  await vscode.quickRow('Ollama').waitFor();
  await keyboard.press('Escape');
  await focusIsIn(panel.get('pick-model'));
  await moveTo('composer-input', 'Shift+Tab');

  // A command with a value, from the list.
  await focusIsIn(composer);
  await keyboard.type('/mode pl');
  await panel.get('suggestion-row').filter({ hasText: 'Plan' }).waitFor();
  await keyboard.press('Enter');
  await expect.poll(() => panel.get('pick-mode').innerText(), soon).toContain('Plan');
  await focusIsIn(composer);
  model.will([says(PLAN)]);
  await keyboard.type('Write a three.');
  await keyboard.press('Enter');
  await panel.get('proposed-plan').waitFor();
  await panel.ended();
  await focusIsIn(composer);
  await moveTo('plan-run', 'Shift+Tab');
  await vscode.screenshot('keyboard-day/3-plan');
  model.will([calls('exec_command', { cmd: 'echo three >> notes.txt' })], [says('Done.')]);
  await keyboard.press('Enter');
  await expect.poll(() => panel.get('turn').count(), soon).toBe(3);
  await panel.ended();
  expect(await disk('notes.txt')).toBe('one\ntwo\nthree\n');
  await expect.poll(() => panel.get('pick-mode').innerText(), soon).toContain('Agent');
  await focusIsIn(composer);
  // The change of the command is marked after the end of its turn, which may be in the window of the next file.
  await panel.get('review').waitFor(soon);
}, 120_000);
