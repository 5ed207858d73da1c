/** The panel and the pages outside VS Code: every state of them in every theme and width, and the keys of the panel. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultsOfScene } from '../webview/preview/faults.mjs';
import { driveByKeyboard } from '../webview/preview/keyboard.mjs';
import { MENTION_STORIES } from '../webview/preview/mentionStories.mjs';
import { MENU_STORIES } from '../webview/preview/menuStories.mjs';
import { setStage } from '../webview/preview/stage.mjs';
import { type PageScene, PAGES } from '../webview/preview/pages.ts';
import { type PanelScene, SCENES } from '../webview/preview/states.ts';

let stage: Awaited<ReturnType<typeof setStage>>;
beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.close());

test.each<[string, PanelScene | PageScene]>([...Object.entries(SCENES), ...Object.entries(PAGES)])(
  '"%s" looks right in every theme and width',
  async (_, scene) => {
    expect(await faultsOfScene(stage, scene)).toEqual([]);
  },
);

test.each(Object.entries({ ...MENTION_STORIES, ...MENU_STORIES }))('%s', async (_, story) => {
  await story(stage);
});

test('every story of the keyboard passes', async () => {
  expect(await driveByKeyboard(stage)).toEqual([]);
});
