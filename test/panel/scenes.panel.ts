/** The panel and the pages outside VS Code: every state of them in every theme and width, and the keys of the panel. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONTENT_STORIES } from '../webview/preview/contentStories.mjs';
import { faultsOfScene, scrollsSideways } from '../webview/preview/faults.mjs';
import { FOCUS_STORIES } from '../webview/preview/focusStories.mjs';
import { driveByKeyboard } from '../webview/preview/keyboard.mjs';
import { LONG_STORIES } from '../webview/preview/longStories.mjs';
import { MENTION_STORIES } from '../webview/preview/mentionStories.mjs';
import { MENU_STORIES } from '../webview/preview/menuStories.mjs';
import { cutTexts, pseudoTexts } from '../webview/preview/pseudoLocale.mjs';
import { setStage } from '../webview/preview/stage.mjs';
import { type PageScene, PAGES } from '../webview/preview/pages.ts';
import { type PanelScene, SCENES } from '../webview/preview/states.ts';

let stage: Awaited<ReturnType<typeof setStage>>;
beforeAll(async () => {
  stage = await setStage({ forUser: false });
});
afterAll(() => stage.close());

test.each<[string, PanelScene | PageScene]>([...Object.entries(SCENES), ...Object.entries(PAGES)])(
  '"%s" looks right in every theme and width',
  async (_, scene) => {
    expect(await faultsOfScene(stage, scene)).toEqual([]);
  },
);

const STORIES = { ...CONTENT_STORIES, ...FOCUS_STORIES, ...LONG_STORIES, ...MENTION_STORIES, ...MENU_STORIES };
test.each(Object.entries(STORIES))('%s', async (_, story) => {
  await story(stage);
});

const MAIN_SCENES = [
  'empty',
  'setup',
  'restricted',
  'stream',
  'approve',
  'approve-menu',
  'always',
  'destructive',
  'hunks',
  'moved',
  'questions',
  'together',
  'done',
  'stopped',
  'review',
  'problems',
  'errors',
  'compaction-failed',
  'compaction',
  'threads',
  'menu',
  'mode-menu',
  'model-menu',
  'meter',
  'edit-sent',
  'try-again',
  'read-only',
  'interrupted',
];

test('texts that are 40 % longer, as in other languages, are not cut in a narrow panel', async () => {
  const texts = pseudoTexts();
  const found: string[] = [];
  for (const name of MAIN_SCENES) {
    const { messages } = SCENES[name as keyof typeof SCENES];
    const longer = messages.map((message) => (message.type === 'snapshot' ? { ...message, texts } : message));
    const page = await stage.show({ messages: longer }, { width: 260 });
    found.push(...(await cutTexts(page)).map((fault) => `${name}: ${fault}`));
    if (await scrollsSideways(page)) found.push(`${name}: scrolls sideways`);
    await page.close();
  }
  expect(found).toEqual([]);
});

test('every story of the keyboard passes', async () => {
  expect(await driveByKeyboard(stage)).toEqual([]);
  // Dozens of stories, each with a page of its own.
}, 180_000);
