// The patch lands in what the user has in front of them, not in what is on disk.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { useSharedWindow, type Window } from './support/window.ts';

const LINES = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
const TEXT = `${LINES.join('\n')}\n`;
const soon = { timeout: 10_000 };

const window = useSharedWindow({
  model: 'scripted',
  settings: { 'tiller.sandbox.mode': 'danger-full-access' },
  files: {
    'notes.txt': TEXT,
    'kept.txt': 'one\n',
    'mine.txt': 'hers\n',
    'too.txt': 'hers\n',
    'mentioned.txt': 'saved\n',
    'deep/other.txt': TEXT,
  },
});

describe('a file that is being typed in', () => {
  test('what is typed while a patch waits stays, the patch lands beside it, and nothing is saved', async () => {
    const { vscode, panel, model, disk } = window();
    await vscode.openFile('notes.txt');
    await vscode.typeAfter('first', ' (mine)');
    await panel.open();
    const input = '*** Begin Patch\n*** Update File: notes.txt\n@@\n seventh\n-eighth\n+EIGHTH\n ninth\n*** End Patch';
    model.will([calls('apply_patch', { input })], [says('Done.')]);
    await panel.send('Change the eighth.');
    await panel.approval('patch').waitFor();
    await vscode.typeAfter('third', ' (mine, too)');
    await vscode.screenshot('buffers/1-typing');
    await panel.answer();
    await panel.ended();

    const expected = TEXT.replace('first', 'first (mine)')
      .replace('third', 'third (mine, too)')
      .replace('eighth', 'EIGHTH');
    await expect.poll(() => vscode.text(), soon).toBe(expected);
    expect(await vscode.isDirty('notes.txt')).toBe(true);
    expect(await disk('notes.txt')).toBe(TEXT);
    expect(model.outputs.at(-1)).toMatch(/not saved .*unsaved edits.*notes\.txt/);
    const unsaved = panel.get('file-change-unsaved');
    expect(await unsaved.innerText()).toBe('left unsaved');
    expect(await unsaved.getAttribute('title')).toMatch(/^Changed in the editor only.*edits of yours.*: notes\.txt$/);
    await vscode.screenshot('buffers/2-landed');

    // One Ctrl+Z reverts the patch and keeps the edits.
    await vscode.editor().locator('.view-line').first().click();
    await vscode.page.keyboard.press('Control+z');
    await expect.poll(() => vscode.text(), soon).toBe(expected.replace('EIGHTH', 'eighth'));
    await vscode.page.keyboard.press('Control+y');
    await expect.poll(() => vscode.text(), soon).toBe(expected);
    await vscode.page.keyboard.press('Control+s');
    await expect.poll(() => disk('notes.txt'), soon).toBe(expected);
  });

  test('is in the Local History once a patch was applied to it', async () => {
    const { panel, model, vscode } = window();
    await panel.open();
    await panel.newThread();
    const input = '*** Begin Patch\n*** Update File: kept.txt\n@@\n-one\n+two\n*** End Patch';
    model.will([calls('apply_patch', { input })], [says('Done.')]);
    await panel.send('Change it.');
    await panel.approval('patch').waitFor();
    await panel.answer();
    await panel.ended();
    const histories = path.join(vscode.server.folder, 'data/User/History');
    const remembered = async () => {
      const folders = await readdir(histories).catch(() => []);
      const read = (folder: string) => readFile(path.join(histories, folder, 'entries.json'), 'utf8').catch(() => '');
      return (await Promise.all(folders.map(read))).filter((entries) => entries.includes('/kept.txt'));
    };
    await expect.poll(async () => (await remembered()).length, soon).toBe(1);
    expect(await panel.get('file-change-unsaved').count()).toBe(0);
  });
});

describe('a file with unsaved edits that a patch would delete', () => {
  /** Asks to delete a file in which the user has typed. */
  const deletionAsked = async (name: string) => {
    const { vscode, panel, model } = window();
    await vscode.openFile(name);
    await vscode.typeAfter('hers', ' (mine)');
    const input = `*** Begin Patch\n*** Delete File: ${name}\n*** End Patch`;
    model.will([calls('apply_patch', { input })], [says('Done.')]);
    await panel.open();
    await panel.send('Delete it.');
  };

  test('goes only when the user says so of that very file, and no key says it by habit', async () => {
    const { vscode, panel, disk } = window();
    await deletionAsked('mine.txt');
    await panel.approval('patch').waitFor();
    expect(await panel.get('approval-discards').innerText()).toContain('mine.txt');
    expect(await panel.get('decision-approve').count()).toBe(0);
    await panel.get('decision-deny').and(panel.page.locator(':focus')).waitFor();
    await vscode.screenshot('buffers/discard');

    await panel.get('composer-input').press('Control+Enter');
    await panel.approval('patch').press('Enter');
    expect(await disk('mine.txt')).toBe('hers\n');
    expect(await vscode.isDirty('mine.txt')).toBe(true);
    await panel.get('composer-input').focus();
    await tabTo(window(), 'decision-approve-discarding');
    await vscode.page.keyboard.press('Enter');
    await panel.ended();
    expect(await disk('mine.txt')).toBeNull();
    await vscode.tab('mine.txt').waitFor({ state: 'detached' });

    await vscode.command('Tiller: Undo Patch');
    await expect.poll(() => disk('mine.txt'), soon).toBe('hers (mine)\n');
  });

  test('is named by the palette, too, and shown before it is discarded', async () => {
    const { vscode, panel, disk } = window();
    await deletionAsked('too.txt');
    await panel.approval('patch').waitFor();
    await vscode.command('Tiller: Approve');
    const discard = vscode.quickRow('Discard and Approve');
    await discard.waitFor();
    await vscode.screenshot('buffers/discard-palette');
    await vscode.page.keyboard.press('Enter');
    await discard.waitFor({ state: 'hidden' });
    expect(await disk('too.txt')).toBe('hers\n');
    await vscode.command('Tiller: Approve');
    await discard.click();
    await panel.ended();
    expect(await disk('too.txt')).toBeNull();
  });
});

describe('a command beside a file that a patch left unsaved', () => {
  const typed = TEXT.replace('first', 'first (mine)').replace('eighth', 'EIGHTH');
  const SAW_OLD = 'so the command saw the old text of: ';

  /** A patch lands where the user has typed, and the model wants to run two commands that look at it. */
  async function untilAsked({ panel, model }: Window, from: string, to: string): Promise<void> {
    const input = `*** Begin Patch\n*** Update File: deep/other.txt\n@@\n-${from}\n+${to}\n*** End Patch`;
    model.will(
      [calls('apply_patch', { input })],
      [calls('exec_command', { cmd: 'cp deep/other.txt seen.txt' })],
      [calls('exec_command', { cmd: 'cp deep/other.txt again.txt' })],
      [says('Done.')],
    );
    await panel.newThread();
    await panel.send('Change it and look.');
    await panel.approval('patch').waitFor();
    await panel.answer();
    await panel.approval('command').waitFor();
    expect(await panel.get('approval-unsaved').innerText()).toBe('deep/other.txt');
    await panel.get('composer-input').focus();
  }

  test('runs anyway by one key, and the model gets a note about the unsaved edits', async () => {
    const { vscode, panel, model, disk } = window();
    await vscode.openFile('deep/other.txt');
    await vscode.typeAfter('first', ' (mine)');
    await panel.open();
    await untilAsked(window(), 'eighth', 'EIGHTH');
    await tabTo(window(), 'decision-approve-saving');
    await vscode.page.keyboard.press('r');
    await panel.ended();
    const onDisk = [await disk('deep/other.txt'), await disk('seen.txt'), await disk('again.txt')];
    expect(onDisk).toEqual([TEXT, TEXT, TEXT]);
    expect(model.outputs.filter((output) => output.includes(`${SAW_OLD}${window().folder}/deep`))).toHaveLength(2);
    expect(await vscode.text()).toBe(typed);
    expect(await vscode.isDirty('other.txt')).toBe(true);
    expect(await panel.get('turn-fold').innerText()).toContain('1 unsaved');
  });

  test('runs after a save by another key, without a second prompt', async () => {
    const { vscode, panel, model, disk } = window();
    await untilAsked(window(), 'ninth', 'NINTH');
    await expect.poll(() => vscode.status().getAttribute('aria-label'), soon).toContain('1 pending');
    await vscode.screenshot('buffers/save-first');
    expect(await disk('deep/other.txt')).toBe(TEXT);

    await panel.get('composer-input').focus();
    await tabTo(window(), 'decision-approve-saving');
    await vscode.page.keyboard.press('Enter');
    await panel.ended();
    const saved = typed.replace('ninth', 'NINTH');
    const onDisk = [await disk('deep/other.txt'), await disk('seen.txt'), await disk('again.txt')];
    expect(onDisk).toEqual([saved, saved, saved]);
    expect(await vscode.isDirty('other.txt')).toBe(false);
    expect(model.outputs.at(-1)).not.toContain(SAW_OLD);
  });
});

/** By the keyboard alone, from any focus in the panel. */
async function tabTo({ vscode, panel }: Window, testid: string): Promise<void> {
  const target = panel.get(testid).and(panel.page.locator(':focus'));
  for (let presses = 0; (await target.count()) === 0; presses++) {
    expect(presses).toBeLessThan(30);
    await vscode.page.keyboard.press('Shift+Tab');
  }
  await panel.takesKeys();
}

describe('a file that is mentioned', () => {
  test('is sent as it is in the editor, and the message shows what was sent', async () => {
    const { vscode, panel, model, disk } = window();
    await vscode.openFile('mentioned.txt');
    await vscode.typeAfter('saved', ' and unsaved');
    await panel.open();
    await panel.newThread();
    const field = panel.get('composer-input');
    await field.fill('');
    await field.pressSequentially('Look at @mentio');
    const row = panel.page.getByRole('option', { name: /^mentioned\.txt/ });
    await row.waitFor();
    await vscode.screenshot('mentions/1-list', vscode.sideBar());
    await field.press('Enter');
    expect(await field.inputValue()).toBe('Look at @mentioned.txt ');
    model.will([says('Seen.')]);
    await field.press('Enter');
    await panel.ended();
    const sent = model.requests.at(-1)?.input.findLast(({ role }) => role === 'user');
    expect(sent?.['content']).toEqual([
      { type: 'input_text', text: 'Look at @mentioned.txt' },
      {
        type: 'input_text',
        text: `\n\n<attachment name="mentioned.txt" kind="file" path="${path.join(window().folder, 'mentioned.txt')}" lines="1-1">\nsaved and unsaved\n</attachment>`,
      },
    ]);
    expect(await disk('mentioned.txt')).toBe('saved\n');
    await panel.get('sent-mention').click();
    await panel.get('sent-what').getByText('saved and unsaved').waitFor();
    await vscode.screenshot('mentions/2-sent', vscode.sideBar());
  });

  test('goes beside a pasted image and the selection, which are shown before and after', async () => {
    const { vscode, panel, model } = window();
    await vscode.openFile('kept.txt');
    await vscode.page.keyboard.press('Control+Home');
    await vscode.page.keyboard.press('Shift+End');
    await panel.open();
    await panel.newThread();
    await panel.get('selection').getByText('kept.txt:1').waitFor();
    await panel.get('composer-input').evaluate(async (field: HTMLElement) => {
      const canvas = new OffscreenCanvas(2_000, 1_000);
      canvas.getContext('2d')?.fillRect(0, 0, 900, 900);
      const clipboardData = new DataTransfer();
      const blob = await canvas.convertToBlob({ type: 'image/png' });
      clipboardData.items.add(new File([blob], 'shot.png', { type: 'image/png' }));
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    // A narrow panel has the size in the tooltip only.
    await panel.get('attachment').getByText('1568 × 784').waitFor({ state: 'attached' });
    await vscode.screenshot('mentions/3-attached', vscode.sideBar());
    model.will([says('A picture.')]);
    await panel.send('Like this');
    await panel.ended();
    const sent = model.requests.at(-1)?.input.findLast(({ role }) => role === 'user');
    const parts = sent?.['content'] as readonly { readonly type: string; readonly image_url?: string }[];
    expect(parts.map(({ type }) => type)).toEqual(['input_text', 'input_image', 'input_text']);
    // The panel has a thumbnail of it; the model gets the whole image.
    expect(parts[1]?.image_url).toMatch(/^data:image\/png;base64,/);
    expect(JSON.stringify(parts[2])).toContain('kind=\\"selection\\"');
    await panel.get('sent-image').getByText('1568 × 784').waitFor({ state: 'attached' });
    await vscode.screenshot('mentions/4-image', vscode.sideBar());
  });
});
