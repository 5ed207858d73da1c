import { expect, test } from 'vitest';
import { leadThere, placeChange } from '../../../src/core/patch/placedChange.ts';
import type { FilePlace } from '../../../src/core/ports.ts';

const LINK: FilePlace = { name: '/w/link', target: '/w/real' };
const FILE: FilePlace = { name: '/w/a', target: '/w/a' };
const UPDATE = { kind: 'update', path: '/w/a', before: 'a', after: 'b', hunks: [], movedOver: null } as const;

test('a change of a link is one of its target, and a removed link leaves its target', () => {
  const kinds = [
    placeChange({ ...UPDATE, movedTo: null, places: { path: LINK, movedTo: null } }),
    placeChange({ ...UPDATE, movedTo: '/w/link', places: { path: FILE, movedTo: LINK } }),
    placeChange({ ...UPDATE, movedTo: '/w/b', places: { path: LINK, movedTo: FILE } }),
    placeChange({ kind: 'delete', path: '/w/link', before: 'a', places: { path: LINK, movedTo: null } }),
  ];
  expect(kinds.map(({ source, writes, removes }) => [source, writes, removes])).toEqual([
    ['/w/real', '/w/real', undefined],
    ['/w/a', '/w/real', '/w/a'],
    ['/w/real', '/w/a', '/w/link'],
    ['/w/real', undefined, '/w/link'],
  ]);
});

test('a path that leads to the same file by another name does not lead to its decided place', async () => {
  const lead = (now: FilePlace) =>
    leadThere({ places: async () => new Map([['link', now]]) }, new Map([['link', LINK]]));
  expect(await lead(LINK)).toBe(true);
  expect(await lead({ name: '/w/other', target: '/w/real' })).toBe(false);
  expect(await lead({ name: '/w/link', target: '/w/other' })).toBe(false);
});
