import { readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { noSandbox, Playground } from '../../support/sandboxed.ts';
import { tempFolder } from '../../support/tempFolder.ts';

describe.skipIf(noSandbox)('a command in the sandbox', () => {
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

  test('finds its temporary folder as $TMPDIR, and no files of other programs', async () => {
    using theirs = tempFolder(homedir());
    writeFileSync(theirs.at('secret'), 'theirs\n');
    using place = new Playground({ tmpdir: theirs.path, env: { TMPDIR: theirs.path } });
    const script = `echo "$TMPDIR"; echo one > "$TMPDIR/a"; cat /tmp/a ${theirs.at('secret')}; echo x > ${theirs.at('x')}`;
    const { stdout, stderr } = await place.bash(script);
    const folder = place.limits.temporary.folder;
    expect(stdout).toBe(`${folder}\none\n`);
    expect(stderr).toContain('secret: No such file or directory');
    expect(stderr).toContain('x: Read-only file system');
    expect(readFileSync(`${folder}/a`, 'utf8')).toBe('one\n');
  });

  test('has the $TMPDIR of the machine, read-only, where the policy excludes it', async () => {
    using theirs = tempFolder(homedir());
    writeFileSync(theirs.at('a'), 'theirs\n');
    using place = new Playground({
      policy: { excludeTmpdirEnvVar: true },
      tmpdir: theirs.path,
      env: { TMPDIR: theirs.path },
    });
    const { stdout, stderr } = await place.bash('cat "$TMPDIR/a"; echo x > "$TMPDIR/x"; echo two > /tmp/b; cat /tmp/b');
    expect(stdout).toBe('theirs\ntwo\n');
    expect(stderr).toContain('x: Read-only file system');
  });
});
