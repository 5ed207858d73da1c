import { expect, test } from 'vitest';
import { allPages } from '../../../src/core/mcp/serverLists.ts';

test('a list in pages is read to its end, however long one of them is', async () => {
  const pages = [Array.from({ length: 200_000 }, (_, index) => ({ index })), [{ index: 200_000 }]];
  const asked: (string | undefined)[] = [];
  const entries = await allPages(async (cursor) => {
    asked.push(cursor);
    const page = Number(cursor ?? 0);
    return { entries: pages[page] ?? [], nextCursor: page === 0 ? '1' : undefined };
  });
  expect(asked).toEqual([undefined, '1']);
  expect([entries.length, entries.at(-1)]).toEqual([200_001, { index: 200_000 }]);
});

test('a list without end is cut, and that is reported once', async () => {
  let cuts = 0;
  const entries = await allPages(async (cursor = '') => ({ entries: [{ cursor }], nextCursor: `${cursor}x` }), {
    most: 3,
    onMore: () => (cuts += 1),
  });
  expect([entries, cuts]).toEqual([[{ cursor: '' }, { cursor: 'x' }, { cursor: 'xx' }], 1]);
});
