// The extension host is killed in the middle of a patch to many files: the result is all of it or nothing. Each row needs a
// window and half a minute: `npm run test:all` runs all of them, `npm test` two.
import { mkdir, readlink, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { type Moment, whenStuck } from './support/stuckHost.ts';
import { hostRestarted } from './support/hostProcess.ts';
import { useSharedWindow, useWindow, type Window } from './support/window.ts';
import { isFullRun } from '../support/rounds.ts';
import { journalsIn } from '../support/journals.ts';

const isSoak = isFullRun();
/** Each file that exists is opened as a tab, which takes processor time. A third of them is of each kind. */
const FILES = isSoak ? 50 : 12;
const numbers = Array.from({ length: FILES }, (_, index) => index);
const THIRD = Math.floor(FILES / 3);
const NEW = numbers.slice(0, THIRD).map((number) => `fresh/deep/${number}.txt`);
const OLD = numbers.slice(THIRD, 2 * THIRD).map((number) => `old/${number}.txt`);
const GONE = numbers.slice(2 * THIRD).map((number) => `gone/${number}.txt`);
const BEFORE = Object.fromEntries([...OLD, ...GONE].map((name) => [name, `${name}\nquoted\nbefore\n`]));
const AFTER = Object.fromEntries([
  ...NEW.map((name) => [name, 'new\n'] as const),
  ...OLD.map((name) => [name, `${name}\nquoted\nafter\n`] as const),
]);
const PATCH = [
  '*** Begin Patch',
  ...NEW.map((name) => `*** Add File: ${name}\n+new`),
  ...OLD.map((name) => `*** Update File: ${name}\n@@\n quoted\n-before\n+after`),
  ...GONE.map((name) => `*** Delete File: ${name}`),
  '*** End Patch',
].join('\n');

const CRASHED = { model: 'scripted', files: BEFORE } as const;

/** The file that is open. */
const MINE = OLD[0] ?? '';
/** The name of the state in which the patch is complete. */
const DONE = { 'Roll Back': 'The patch is rolled back.', Finish: 'The patch is finished.' } as const;
type Answer = keyof typeof DONE;
/** All of them show the same choice; an answer in one of them counts for all. */
type Place = 'notification' | 'panel' | 'palette';
const QUESTION = 'was interrupted while it was applied';
const soon = { timeout: 60_000 };

const DRAWN = { timeout: 10_000 } as const;

describe('killed', () => {
  const window = useSharedWindow(CRASHED);

  const rows = [
    ['among the new files', 'Roll Back', 'notification', BEFORE, hostRestartedAfterCrash],
    ['among the new files', 'Finish', 'palette', AFTER, reloadedAfterCrash],
  ] as const;

  test.each(isSoak ? rows : [rows[0]])('%s, then "%s" in the %s', async (when, answer, place, expected, goOn) => {
    const { vscode, panel, model } = window();
    await panel.open();
    await panel.newThread();
    model.will([calls('apply_patch', { input: PATCH })], [says('Done.')]);
    await panel.send('Change all of them.');
    await panel.approval('patch').waitFor();
    const killing = killAtWrite(window());
    await panel.get('decision-approve').click();
    const killed = await killing;
    await isHalfDone(window());

    await goOn(window(), killed);
    await vscode.screenshot(`crash/${when.replaceAll(' ', '-')}-${answer.replace(' ', '-')}`);
    await give(answer, place, window());
    await vscode.notification(DONE[answer]).waitFor(soon);
    expect(await filesIn(window())).toEqual(expected);
    expect(journalsOf(window())).toEqual([]);
    expect(await vscode.notification('Skipped').count()).toBe(0);
    // No buffer has text that is not on disk.
    await expect.poll(() => vscode.page.locator('.part.editor .tab.dirty').count(), DRAWN).toBe(0);
  });

  const undone = [
    ['Roll Back', 'panel', AFTER],
    ['Finish', 'notification', BEFORE],
  ] as const;

  // `tiller undo` is killed in every run: test/scenarios/undoCommand.test.ts.
  test.each(isSoak ? undone : [])(
    'in the middle of an undo, then "%s" in the %s',
    async (answer, place, expected) => {
      const { vscode, panel, model } = window();
      await asBefore(window());
      await panel.open();
      await panel.newThread();
      model.will([calls('apply_patch', { input: PATCH })], [says('Done.')]);
      await panel.send('Change all of them.');
      await panel.approval('patch').waitFor();
      await panel.get('decision-approve').click();
      await panel.ended();
      expect(await filesIn(window())).toEqual(AFTER);
      await panel.get('turn-undo').click();
      const list = vscode.page.locator('.quick-input-widget:visible');
      await list.locator('.monaco-list-row').first().waitFor(soon);
      const killed = killAtWrite(window());
      await vscode.page.keyboard.press('Enter');
      await killed;
      await isHalfDone(window());

      await reloadedAfterCrash(window());
      await vscode.screenshot(`crash/undo-${answer.replace(' ', '-')}`);
      await give(answer, place, window());
      await vscode.notification(DONE[answer]).waitFor(soon);
      expect(await filesIn(window())).toEqual(expected);
      expect(journalsOf(window())).toEqual([]);

      // An undo that was rolled back can be done once more; one that was finished is recorded by the next, and can be redone.
      await panel.get('turn-undo').click();
      if (answer === 'Roll Back') {
        await list.locator('.monaco-list-row').first().waitFor(soon);
        await vscode.page.keyboard.press('Enter');
      }
      await panel.get('turn-redo').waitFor(soon);
      expect(await filesIn(window())).toEqual(BEFORE);
    },
    300_000,
  );

  describe('while texts stand in the editor', () => {
    const rows = [
      ['all of them changed and none saved', 'Finish', 'panel', AFTER],
      ['all of them changed and none saved', 'Roll Back', 'notification', BEFORE],
    ] as const;

    // The host suite settles patches in documents, too: test/vscode/recoverBuffers.test.ts.
    test.runIf(isSoak).each(rows)('%s, then "%s" in the %s', async (_when, answer, place, expected) => {
      const { vscode } = window();
      await landUntil(window(), { changed: OLD.length });
      await killHost(window());
      expect(await filesIn(window())).not.toEqual(AFTER);
      await vscode.reload();
      await isSettled(window(), answer, place, expected);
    });

    test('beside edits of the user, which stay unsaved, then "Roll Back"', async () => {
      const { vscode } = window();
      await landUntil(window(), { changed: OLD.length }, 'mine');
      await killHost(window());
      await vscode.reload();
      await isSettled(window(), 'Roll Back', 'palette', BEFORE, { [MINE]: `mine${BEFORE[MINE]}` });
    });
  });
});

describe.runIf(isSoak)('killed beside edits of the user', () => {
  const window = useWindow(CRASHED);

  test('which stay unsaved and get their part of the patch, then "Finish"', async () => {
    await landUntil(window(), { changed: OLD.length }, 'mine');
    await killHost(window());
    await window().vscode.reload();
    const disk = { ...AFTER, [MINE]: BEFORE[MINE] ?? '' };
    await isSettled(window(), 'Finish', 'panel', disk, { [MINE]: `mine${AFTER[MINE]}` });
  });
});

describe.runIf(isSoak).each([
  ['Roll Back', 'notification', BEFORE],
  ['Finish', 'panel', AFTER],
] as const)('killed with the whole window', (answer, place, expected) => {
  const window = useWindow(CRASHED);

  test(`some of them saved, then "${answer}"`, async () => {
    await landUntil(window(), { saved: 3 });
    await window().vscode.page.close();
    await killHost(window());
    const left = await filesIn(window());
    expect(new Set(OLD.map((name) => left[name]?.split('\n')[2]))).toEqual(new Set(['before', 'after']));
    await window().restart();
    await isSettled(window(), answer, place, expected);
  });
});

/** Applies the patch up to that step. */
async function landUntil(window: Window, moment: Moment, typed?: string): Promise<void> {
  const { vscode, panel, model, extension } = window;
  await asBefore(window);
  await vscode.openFile(MINE);
  if (typed !== undefined) {
    await vscode.editor().locator('.view-line').first().click();
    await vscode.page.keyboard.press('Control+Home');
    await vscode.page.keyboard.type(typed);
  }
  await panel.open();
  await panel.newThread();
  model.will([calls('apply_patch', { input: PATCH })], [says('Done.')]);
  await panel.send('Change all of them.');
  await panel.approval('patch').waitFor();
  const stuck = whenStuck(extension('stuck-host'), moment);
  await panel.get('decision-approve').click();
  await stuck;
}

/** The files as the patch finds them, and no editor. */
async function asBefore({ vscode, folder }: Window): Promise<void> {
  // An earlier attempt may have left it unsaved.
  await vscode.openFile(MINE);
  await vscode.command('File: Revert File');
  await vscode.command('View: Close All Editors');
  for (const name of NEW) await rm(path.join(folder, name), { force: true });
  for (const [name, text] of Object.entries(BEFORE)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
}

/** On the disk and in every buffer. */
async function isSettled(
  window: Window,
  answer: Answer,
  place: Place,
  expected: Readonly<Record<string, string>>,
  unsaved: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { vscode, panel } = window;
  await panel.open();
  await give(answer, place, window);
  const names = Object.keys(unsaved);
  await vscode.notification(DONE[answer]).waitFor(soon);
  expect(await filesIn(window)).toEqual(expected);
  expect(journalsOf(window)).toEqual([]);
  // The window shows the changes of its extensions with a delay.
  await expect.poll(() => vscode.page.locator('.part.editor .tab.dirty').count(), DRAWN).toBe(names.length);
  for (const name of OLD.slice(0, 2)) {
    await vscode.openFile(name);
    await expect.poll(() => vscode.text(), DRAWN).toBe(unsaved[name] ?? expected[name]);
  }
  expect(await vscode.notification(/Skipped|Failed to save/).count()).toBe(0);
}

/** Some of the files are changed, and the journal of the change is still there. */
async function isHalfDone(window: Window): Promise<void> {
  const left = await filesIn(window);
  expect(left).not.toEqual(BEFORE);
  expect(left).not.toEqual(AFTER);
  expect(journalsOf(window)).toHaveLength(1);
}

/** VS Code starts another extension host, and the panel then offers to recover the change. */
async function hostRestartedAfterCrash({ vscode, panel }: Window, killed: number): Promise<void> {
  await hostRestarted(vscode, killed);
  await panel.open();
  await panel.get('interrupted').waitFor(soon);
}

/** The same in a window that is reloaded. */
async function reloadedAfterCrash({ vscode, panel }: Window): Promise<void> {
  await vscode.reload();
  await panel.open();
  await panel.get('interrupted').waitFor(soon);
}

/** Answers in one place; then none of them shows the choice any more. */
async function give(answer: Answer, place: Place, { vscode, panel }: Window): Promise<void> {
  const card = panel.get('interrupted');
  await card.waitFor(soon);
  expect(await panel.get('interrupted-file').count()).toBe(FILES);
  if (place === 'notification') await vscode.answerNotification(QUESTION, answer);
  if (place === 'panel') {
    // Closing it decides nothing.
    await vscode.command('Notifications: Clear All Notifications');
    await vscode.notification(QUESTION).waitFor({ state: 'hidden' });
    expect(await vscode.badge()).toBe(1);
    await panel.get(answer === 'Finish' ? 'interrupted-finish' : 'interrupted-put-back').click();
  }
  if (place === 'palette') {
    await vscode.command('Tiller: Finish or Roll Back an Interrupted Patch');
    await vscode.pick(answer);
  }
  await card.waitFor({ state: 'detached', ...soon });
  await vscode.notification(QUESTION).waitFor({ state: 'hidden' });
  expect(await vscode.badge()).toBe(0);
}

/** Every file of the patch, as it is on disk. */
async function filesIn({ disk }: Window): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of [...NEW, ...OLD, ...GONE]) {
    const text = await disk(name);
    if (text !== null) found[name] = text;
  }
  return found;
}

function journalsOf({ vscode }: Window): string[] {
  return journalsIn(path.join(vscode.server.folder, 'home/.local/share/tiller'));
}

/** Kills the extension host when it has opened the first new file for its text. Resolves with its pid. */
async function killAtWrite(window: Window): Promise<number> {
  await whenStuck(window.extension('stuck-host'), { written: 1 });
  return killHost(window);
}

/** The process that applies the patch: it has written its pid into the journal. Resolves with the pid. */
async function killHost(window: Window): Promise<number> {
  const [journal = ''] = journalsOf(window);
  const host = Number(/-(\d+)\.journal$/.exec(journal)?.[1]);
  process.kill(host, 'SIGKILL');
  while (await readlink(`/proc/${host}/exe`).then(Boolean, () => false)) await sleep(5);
  return host;
}
