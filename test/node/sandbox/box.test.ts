import { describe, expect, test } from 'vitest';
import { noBox, Playground } from '../../support/boxed.ts';

describe.skipIf(noBox)('a command in the box', () => {
  test('writes in its workspace and in its own /tmp, and nowhere else', async () => {
    using place = new Playground();
    const story = await place.bash('echo one > a && echo two > /tmp/b; echo three > /etc/tiller-test; cat a /tmp/b');
    expect(story).toEqual({
      code: 0,
      stdout: 'one\ntwo\n',
      stderr: '/bin/bash: line 1: /etc/tiller-test: Read-only file system\n',
      findings: [],
    });
  });
});
