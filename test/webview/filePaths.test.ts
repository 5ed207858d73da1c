import { expect, it } from 'vitest';
import { hasPendingChanges } from '../../webview-ui/text/commandReview.ts';
import { absolutePath, pathFrom, pathKey } from '../../webview-ui/text/filePaths.ts';

it.each([
  ['src/a.ts', '/work', '/work/src/a.ts'],
  ['/etc/a', '/work', '/etc/a'],
  ['a', '/', '/a'],
  ['src\\a.ts', 'c:\\work', 'c:\\work\\src\\a.ts'],
  ['a.ts', 'C:\\', 'C:\\a.ts'],
  ['D:\\other\\a.ts', 'c:\\work', 'D:\\other\\a.ts'],
  ['d:/other/a.ts', 'c:\\work', 'd:/other/a.ts'],
  ['\\\\server\\share\\a.ts', 'c:\\work', '\\\\server\\share\\a.ts'],
  ['a.ts', '\\\\server\\share', '\\\\server\\share\\a.ts'],
])('%s of %s is %s', (path, folder, absolute) => {
  expect(absolutePath(path, folder)).toBe(absolute);
});

it('spellings of one file on Windows have one key; on other systems each is a file of its own', () => {
  expect(pathKey('C:\\Work\\A.ts')).toBe(pathKey('c:/work/a.ts'));
  expect(pathKey('\\\\Server\\a')).toBe(pathKey('\\\\server\\A'));
  expect(pathKey('/work/A.ts')).not.toBe(pathKey('/work/a.ts'));
});

it.each([
  ['/work', '/work/src/a.ts', 'src/a.ts'],
  ['/work', '/works/a.ts', '/works/a.ts'],
  ['/work', '/Work/a.ts', '/Work/a.ts'],
  ['/', '/a.ts', 'a.ts'],
  ['', '/a.ts', '/a.ts'],
  ['c:\\work', 'C:\\Work\\src\\a.ts', 'src\\a.ts'],
  ['c:\\work', 'c:\\works\\a.ts', 'c:\\works\\a.ts'],
])('from %s, %s is %s', (folder, path, relative) => {
  expect(pathFrom(folder, path)).toBe(relative);
});

it.each([
  ['/work', 'src/a.ts', '/work/src/a.ts'],
  ['/work', '/etc/hosts', '/etc/hosts'],
  ['c:\\work', 'src\\a.ts', 'c:\\work\\src\\a.ts'],
  ['C:\\work', 'src\\a.ts', 'c:\\work\\src\\a.ts'],
  ['c:\\work', 'D:\\other\\a.ts', 'd:\\other\\a.ts'],
])('a file that a command in %s has changed is pending while it is in review: %s', (folder, path, inReview) => {
  const files = [{ path, kind: 'update' as const }];
  const writers = new Map([[path, 'mine']]);
  const facts = { folder, writers, inReview: new Set([pathKey(inReview)]) };
  expect(hasPendingChanges('mine', files, facts)).toBe(true);
  expect(hasPendingChanges('mine', files, { ...facts, inReview: new Set() })).toBe(false);
  expect(hasPendingChanges('other', files, facts)).toBe(false);
});
