import { expect, it } from 'vitest';
import { ITEM_TRAITS } from '../../src/protocol/itemTraits.ts';
import { SCENES, threadOf } from './preview/states.ts';

it('the preview has a picture of each kind of item', () => {
  const threads = Object.values(SCENES).flatMap((scene) => threadOf(scene) ?? []);
  const shown = new Set(threads.flatMap(({ turns }) => turns.flatMap(({ items }) => items.map(({ type }) => type))));
  const missing = Object.keys(ITEM_TRAITS).filter((type) => !shown.has(type as keyof typeof ITEM_TRAITS));
  expect(missing, 'add it to a scene of test/webview/preview/states.ts').toEqual([]);
});
