// Several threads: in parallel in one window, in a list, forked, deleted, and open in two windows.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { faultsOfFrame } from './support/faults.ts';
import { useSharedWindow, useWindow } from './support/window.ts';

const soon = { timeout: 20_000 };
/** The file with the last argument of the notify program, in the home of the server. */
const NOTIFIED = 'notified.json';
const settings = {
  'tiller.approvalPolicy': 'untrusted',
  'tiller.notify': ['/bin/sh', '-c', `printf %s "$1" > "$HOME/${NOTIFIED}"`, 'notify'],
};

// The list has the threads of this file only.
const window = useSharedWindow({ isNew: true, model: 'scripted', settings });

const NAMES = ['Open Chat', 'Approve', 'Stop', 'Delete Thread', 'Undo Patch', 'Show Pending Requests'];

async function offered(): Promise<readonly string[]> {
  const names = await window().vscode.offered(...NAMES.map((name) => `Tiller: ${name}`));
  return names.map((name) => name.replace('Tiller: ', ''));
}

// First: a patch of any thread can be undone.
test('the palette has the commands of a turn while it can do something with them', async () => {
  const { panel, model, vscode } = window();
  await panel.open();
  await panel.get('empty-ready').waitFor();
  expect(await offered()).toEqual(['Open Chat']);
  model.will([calls('exec_command', { cmd: 'touch made' })], [says('Done.')]);
  await panel.send('Make it.');
  await panel.approval('command').waitFor();
  expect(await offered()).toEqual(['Open Chat', 'Approve', 'Stop', 'Delete Thread', 'Show Pending Requests']);
  await vscode.command('Tiller: Approve');
  await panel.ended();
  const patch = '*** Begin Patch\n*** Add File: new.txt\n+new\n*** End Patch';
  model.will([calls('apply_patch', { input: patch })], [says('Done.')]);
  await panel.send('And a file.');
  await panel.approveAll();
  expect(await offered()).toEqual(['Open Chat', 'Delete Thread', 'Undo Patch']);
});

describe('in one window', () => {
  const row = (title: string) => window().panel.get('thread-row').filter({ hasText: title });

  beforeEach(async () => {
    await window().panel.open();
    await window().panel.newThread();
  });

  test('a thread with a pending request is found from another one, and answered', async () => {
    const { vscode, panel, model, disk } = window();
    model.will([calls('exec_command', { cmd: 'touch asked' })], [says('Touched.')], [says('Hello.')]);
    await panel.send('Touch a file.');
    await panel.approval('command').waitFor();
    await panel.newThread();
    await panel.get('threads-waiting').waitFor();
    await expect.poll(() => vscode.status().getAttribute('aria-label'), soon).toContain('Touch a file');
    await vscode.screenshot('threads/1-waits-elsewhere');

    await panel.get('thread-title').click();
    await row('Touch a file').waitFor();
    expect(await row('Touch a file').getAttribute('data-state')).toBe('waiting');
    await vscode.screenshot('threads/2-list', vscode.sideBar());
    await panel.get('threads-search').press('Enter');
    await panel.approval('command').waitFor();
    await panel.answer();
    await panel.ended();
    expect(await disk('asked')).toBe('');
  });

  test('a thread is named, found, deleted and restored with the keyboard alone', async () => {
    const { vscode, panel, model } = window();
    model.will([says('The word is marmalade.')]);
    await panel.send('What is the word?');
    await panel.ended();
    const search = panel.get('threads-search');
    await panel.get('thread-title').press('Enter');
    await row('What is the word?').waitFor();
    await search.press('F2');
    await panel.get('thread-rename').fill('The word');
    await panel.get('thread-rename').press('Enter');
    await expect.poll(() => panel.get('thread-title').innerText(), soon).toContain('The word');

    await search.fill('marmalade');
    await expect
      .poll(() => panel.get('thread-row').allInnerTexts(), soon)
      .toEqual([expect.stringContaining('The word is marmalade.')]);
    await vscode.screenshot('threads/3-found', vscode.sideBar());
    expect(await panel.get('thread-found').locator('mark').innerText()).toBe('marmalade');
    await row('The word').hover();
    // The cursor is behind the text, where the key has no character to delete.
    await search.press('Delete');
    await panel.get('thread-undelete').waitFor();
    await expect.poll(() => row('The word').count(), soon).toBe(0);
    await vscode.screenshot('threads/4-deleted', vscode.sideBar());
    await panel.get('thread-undelete').press('Enter');
    await row('The word').waitFor();
    await row('The word').click();
    expect(await panel.lastMessage().innerText()).toBe('The word is marmalade.');
  });

  test('a thread is forked at a message, and the old one stays', async () => {
    const { vscode, panel, model } = window();
    model.will([says('One.')], [says('Two.')]);
    await panel.send('first');
    await panel.ended();
    await panel.send('second');
    await panel.ended();
    await panel.get('user-message').last().hover();
    await panel.get('user-message-fork').last().click();
    await expect.poll(() => panel.get('turn').count(), soon).toBe(1);
    expect(await panel.get('composer-input').inputValue()).toBe('second');
    await vscode.screenshot('threads/5-forked');
    await panel.write('');
    await panel.get('thread-title').click();
    await expect.poll(() => row('first').count(), soon).toBe(2);
  });

  test('the menu of a row does what the palette does', async () => {
    const { vscode, panel, model } = window();
    model.will([says('Hello.')]);
    await panel.send('Rename me.');
    await panel.ended();
    await panel.get('thread-title').click();
    await row('Rename me').click({ button: 'right' });
    await vscode.pickFromMenu('Rename Thread');
    await panel.get('thread-rename').fill('Renamed');
    await panel.get('thread-rename').press('Enter');
    await row('Renamed').waitFor();
    for (const [entry, isPinned] of [
      ['Pin Thread', true],
      ['Unpin Thread', false],
    ] as const) {
      await row('Renamed').click({ button: 'right' });
      await vscode.pickFromMenu(entry);
      await expect.poll(() => row('Renamed').getAttribute('data-pinned'), soon).toBe(String(isPinned));
    }
  });

  test('a message of another thread is found with Ctrl+R, and the draft stays until it is accepted', async () => {
    const { vscode, panel, model } = window();
    model.will([says('There.')]);
    await panel.send('Where is the marmalade?');
    await panel.ended();
    await panel.newThread();
    const composer = panel.get('composer-input');
    await composer.fill('half a thought');
    await composer.press('Control+r');
    const search = panel.get('history-search');
    await search.pressSequentially('the marm');
    await expect.poll(() => panel.get('history-row').allInnerTexts(), soon).toEqual(['Where is the marmalade?']);
    await vscode.screenshot('threads/11-history', vscode.sideBar());
    expect(await faultsOfFrame(await panel.frame())).toEqual([]);
    await search.press('Escape');
    expect(await composer.inputValue()).toBe('half a thought');
    await composer.press('Control+r');
    await search.pressSequentially('marm');
    await search.press('Enter');
    await expect.poll(() => composer.inputValue(), soon).toBe('Where is the marmalade?');
    // VS Code binds the key to another command.
    expect(await vscode.quickInput().isVisible()).toBe(false);
    await composer.fill('');
  });

  test('a thread is exported as Markdown and as JSON, and one of Codex is imported', async () => {
    const { vscode, panel, model, disk, folder } = window();
    model.will([says('The word is **quince**.')]);
    await panel.send('Name a fruit.');
    await panel.ended();
    await vscode.command('Tiller: Export Thread…');
    await vscode.answerFile(path.join(folder, 'fruit.md'));
    await expect.poll(() => disk('fruit.md'), soon).toContain('> Name a fruit.\n\nThe word is **quince**.');
    await vscode.notification('Exported to fruit.md').waitFor();
    await vscode.command('Tiller: Export Thread…');
    await vscode.answerFile(path.join(folder, 'fruit.json'));
    await vscode.notification('Exported to fruit.json').waitFor();
    expect(JSON.parse((await disk('fruit.json')) ?? '')).toMatchObject({
      format: 'tiller-thread',
      title: 'Name a fruit',
    });

    await vscode.command('Tiller: Open Thread as Text');
    const text = vscode.page.locator('.part.editor .editor-instance .view-lines');
    await expect.poll(() => text.innerText(), soon).toContain('The\u00a0word\u00a0is\u00a0**quince**.');
    await vscode.screenshot('threads/13-as-text');

    await vscode.command('Tiller: Import Thread…');
    await vscode.answerFile(path.join(import.meta.dirname, '../fixtures/codex-rollout/2026.jsonl'));
    await panel.get('user-message').getByText('fix the total').first().waitFor();
    await vscode.screenshot('threads/12-imported');
    model.will([says('I can go on with it.')]);
    await panel.send('And now?');
    await panel.ended();
    expect(JSON.stringify(model.requests[0]?.input)).toContain('fix the total');
  });

  test('a notification reports the end of a turn while the window does not have the focus, and the notify program starts', async () => {
    const { vscode, panel, model } = window();
    model.will([says('Painted it green.')], [says('Again.')]);
    await vscode.setFocus(false);
    await panel.send('Paint the fence.');
    await panel.ended();
    await vscode.answerNotification('“Paint the fence” is done: Painted it green.', 'Show');
    const passed = () => readFile(path.join(vscode.server.folder, 'home', NOTIFIED), 'utf8').catch(() => '');
    await expect.poll(passed, soon).toContain('"last-assistant-message":"Painted it green."');
    await vscode.setFocus(true);
    await panel.send('Once more.');
    await panel.ended();
    expect(await vscode.notification('Again.').count()).toBe(0);
  });
});

describe('in two windows', () => {
  const first = window;
  const second = useWindow({ beside: first });

  test('the second one shows the turns of the first one, and takes the thread over when that agrees', async () => {
    first().model.will([calls('exec_command', { cmd: 'touch first' })]);
    await first().panel.open();
    await first().panel.newThread();
    await first().panel.send('Work here.');
    await first().panel.approval('command').waitFor();

    const { vscode, panel, model } = second();
    model.will([says('From the second.')]);
    await panel.open();
    await panel.get('thread-title').click();
    await panel.get('threads-scope').click();
    const row = panel.get('thread-row').filter({ hasText: 'Work here' });
    await row.waitFor();
    expect(await row.getAttribute('data-state')).toBe('waiting');
    await row.click();
    await panel.get('read-only-banner').waitFor();
    expect(await panel.approval('command').count()).toBe(0);
    expect(await panel.get('composer-input').isDisabled()).toBe(true);
    await vscode.screenshot('threads/8-read-only');
    await panel.get('read-only-take-over').click();
    await first().vscode.answerNotification('wants to take over', 'Hand Over');
    await panel.get('read-only-banner').waitFor({ state: 'hidden' });
    await first().panel.get('read-only-banner').getByText('has taken this thread over').waitFor();
    await first().vscode.screenshot('threads/9-taken');
    await panel.approval('command').waitFor();
  });
});
