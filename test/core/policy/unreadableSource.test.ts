import { expect, test } from 'vitest';
import { refuseUnreadable, unreadableIn } from '../../../src/core/policy/unreadableSource.ts';

const scope = {
  unreadable: ['/home/u/.ssh', '/home/u/.netrc', '/home/u/.tiller'],
  shown: ['/w', '/home/u/.tiller/tmp/t'],
};

test.each([
  ['/home/u/.ssh', true],
  ['/home/u/.ssh/id', true],
  ['/home/u/.ssh2/id', false],
  ['/home/u/.netrc', true],
  ['/home/u/a', false],
  ['/w/a', false],
  ['/home/u/.tiller/settings.json', true],
  ['/home/u/.tiller/tmp/t/a', false],
  ['/home/u/.tiller/tmp/other/a', true],
])('%s: unreadable is %s', (path, expected) => {
  expect(unreadableIn(scope, 'linux')(path)).toBe(expected);
});

test('names that the file system treats as one are one', () => {
  expect(unreadableIn(scope, 'darwin')('/Home/U/.SSH/id')).toBe(true);
  expect(unreadableIn(scope, 'linux')('/Home/U/.SSH/id')).toBe(false);
});

test('an unreadable place inside a readable folder stays unreadable', () => {
  expect(unreadableIn({ unreadable: ['/w/secret'], shown: ['/w'] }, 'linux')('/w/secret/a')).toBe(true);
});

test('the first such source is named, with its resolved place', () => {
  const at = (path: string, target = path) => ({ path, place: { name: path, target } });
  expect(refuseUnreadable([at('/w/a'), at('/w/b')], scope, 'linux')).toBeUndefined();
  expect(refuseUnreadable([at('/w/a'), at('/w/d/id', '/home/u/.ssh/id')], scope, 'linux')).toEqual({
    source: 'policy',
    id: 'unreadable-path',
    text: '/w/d/id leads to /home/u/.ssh/id, which may not be read (sandbox.unreadable), so a patch may not change, move, replace or delete it. Only the user can do that.',
  });
});
