// Applied patches are reviewed in the editor: marked, kept, undone, by keyboard and in the panel.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { useSharedWindow } from './support/window.ts';

const LINES = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
const TEXT = `${LINES.join('\n')}\n`;
const LANDED = TEXT.replace('second', 'SECOND').replace('fifth\n', '').replace('eighth\n', 'eighth\nand a half\n');
const patch = ({ notes, made, gone }: Names) => `*** Begin Patch
*** Update File: ${notes}
@@
 first
-second
+SECOND
 third
 fourth
-fifth
 sixth
 seventh
 eighth
+and a half
 ninth
*** Add File: ${made}
+new
*** Delete File: ${gone}
*** End Patch`;

interface Names {
  readonly notes: string;
  readonly made: string;
  readonly gone: string;
}
const soon = { timeout: 15_000 };

describe('applied changes', () => {
  const window = useSharedWindow({
    model: 'scripted',
    settings: { 'tiller.review': 'after' },
  });

  const changes = (count: number, files: number) =>
    `${count === 1 ? '1 change' : `${count} changes`} in ${files === 1 ? '1 file' : `${files} files`}`;
  const strip = async () => (await window().panel.get('review').locator('summary').innerText()).trim();

  const cursorAt = (place: string) =>
    window().vscode.page.locator('.statusbar-item').filter({ hasText: place }).waitFor();

  /** The buttons of the change in the second line. */
  async function toolbar() {
    const { vscode } = window();
    const hover = vscode.page.locator('.monaco-hover:visible').filter({ hasText: 'Show Old Lines' });
    await vscode
      .editor()
      .locator('.view-line')
      .nth(1)
      .hover({ position: { x: 5, y: 5 } });
    await hover.waitFor(soon);
    return hover;
  }

  let applies = 0;

  /**
   * Applies a patch to files of its own, all under review, whatever an earlier test or a failed
   * attempt has left. A test that is run again may have a window of its own without an applied patch.
   */
  async function applied(): Promise<Names> {
    const { vscode, panel, model, folder } = window();
    const number = ++applies;
    const names = { notes: `notes${number}.txt`, made: `new${number}.txt`, gone: `gone${number}.txt` };
    await panel.open();
    if (await panel.get('review').isVisible()) {
      await vscode.command('Tiller: Keep All Changes');
      await panel.get('review').waitFor({ state: 'hidden' });
    }
    await writeFile(path.join(folder, names.notes), TEXT);
    await writeFile(path.join(folder, names.gone), 'gone\n');
    await vscode.openFile(names.notes);
    model.will([calls('apply_patch', { input: patch(names) })], [says('Done.')]);
    await panel.send('Change the notes.');
    await panel.ended();
    await expect.poll(strip, soon).toBe(changes(5, 3));
    return names;
  }

  test('are marked in the editor, and listed in the panel', async () => {
    const { vscode, panel, disk } = window();
    const { notes, gone } = await applied();
    expect(await disk(notes)).toBe(LANDED);
    expect(await disk(gone)).toBe(null);
    // One line for the file, and a toolbar for the change under the pointer: the text is not pushed down.
    await vscode.codeLens('Keep File').waitFor();
    await expect.poll(() => vscode.page.locator('.codelens-decoration').count(), soon).toBe(1);
    expect(await (await toolbar()).innerText()).toMatch(/Keep.*Undo.*Show Old Lines.*Next Change.*\+1 −1/s);
    await vscode.page.keyboard.press('Escape');
    expect(await vscode.status('tiller.review').innerText()).toContain('5');
    await panel.get('review').locator('summary').click();
    expect(await panel.get('review-file').count()).toBe(3);
    await vscode.screenshot('review/1-marked');
    const marks = vscode.page.locator('.part.editor [class*="ced-"]');
    await expect.poll(() => marks.count(), soon).toBeGreaterThan(0);
    // Diff editors have marks of their own.
    await vscode.command('Tiller: Show All Changes to Review');
    // VS Code draws the lens of a file after what is painted in it.
    await vscode.multiDiff().root.locator('.codelens-decoration', { hasText: 'Tiller: 3 changes' }).waitFor();
    await vscode.multiDiff().root.locator('.codelens-decoration', { hasText: 'Tiller: new file' }).waitFor();
    expect(await marks.count()).toBe(0);
    await vscode.screenshot('review/4-diffs');
    // The former text of a deleted file.
    await panel.get('review-open').first().click();
    await vscode.codeLens('Tiller: deleted file').waitFor();
  });

  test('are kept and undone by the keyboard alone, and Ctrl+Z reverts an Undo', async () => {
    const { vscode, panel, disk } = window();
    const { keyboard } = vscode.page;
    const { notes } = await applied();
    await vscode.editor().locator('.view-line').first().click();
    await keyboard.press('Control+Home');
    await keyboard.press('Alt+F5');
    await cursorAt('Ln 2');
    await keyboard.press('Control+Home');
    await cursorAt('Ln 1');
    // The extension decides by the cursor when the key arrives, and VS Code sends it only then where the cursor is.
    await keyboard.press('ArrowDown');
    await keyboard.press('Control+Alt+y');
    await expect.poll(strip, soon).toBe(changes(4, 3));
    // The cursor moves to the next one by itself: where the line was deleted.
    await cursorAt('Ln 5');
    await keyboard.press('Control+Alt+n');
    await expect.poll(() => disk(notes), soon).toBe(LANDED.replace('fourth\n', 'fourth\nfifth\n'));
    await expect.poll(strip, soon).toBe(changes(3, 3));
    await keyboard.press('Control+z');
    await expect.poll(strip, soon).toBe(changes(4, 3));
    await keyboard.press('Control+y');
    await expect.poll(strip, soon).toBe(changes(3, 3));
    await vscode.command('Tiller: Undo Last Keep');
    await expect.poll(strip, soon).toBe(changes(4, 3));
    expect(await panel.get('review-file').count()).toBe(3);
  });

  test('show their old lines in the peek of VS Code, with Keep and Undo', async () => {
    const { vscode } = window();
    await applied();
    const peek = vscode.page.locator('.peekview-widget');
    // VS Code draws the editor again at this moment, and a click in between is lost.
    const opened = async () => {
      await (await toolbar()).getByText('Show Old Lines').click();
      return peek.waitFor({ timeout: 2000 }).then(
        () => true,
        () => false,
      );
    };
    await expect.poll(opened, soon).toBe(true);
    await expect.poll(() => peek.innerText(), soon).toContain('Tiller');
    await vscode.screenshot('review/2-peek');
    await peek.locator('a.action-label[aria-label^="Undo"]').first().click();
    await expect.poll(strip, soon).toBe(changes(4, 3));
    await expect.poll(() => vscode.text(), soon).toContain('second');
  });
});
