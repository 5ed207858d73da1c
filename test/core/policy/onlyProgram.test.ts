import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { isKnownSafe } from '../../../src/core/policy/knownSafe.ts';
import { explainCommand } from '../../../src/core/policy/decideCommand.ts';
import { sandboxPolicyInputSchema } from '../../../src/protocol/policy.ts';
import { onlyProgramOf as wordsOf } from '../../../src/core/policy/onlyProgram.ts';

function onlyProgramOf(argv: readonly string[]) {
  const { commands } = explainCommand({
    ...{
      argv,
      approvalPolicy: 'on-request',
      box: 'bubblewrap',
      sandboxPermissions: 'use_default',
      rules: [],
      platform: 'linux',
    },
    sandboxPolicy: sandboxPolicyInputSchema.parse('workspace-write'),
  });
  return wordsOf(argv, commands);
}

test.each<[string, readonly string[] | undefined]>([
  ['cat file', ['cat', 'file']],
  [`grep -n 'a b' "c d" e\\ f`, ['grep', '-n', 'a b', 'c d', 'e f']],
  ['timeout 5 cat one', ['timeout', '5', 'cat', 'one']],
  ['cat one && cat two', undefined],
  ['cat one | head', undefined],
  ['cat one > two', undefined],
  ['cat *.txt', undefined],
  ['cat $HOME', undefined],
  ['cat ~/one', undefined],
  ['A=1 cat one', undefined],
  ['cat <<EOF\none\nEOF', undefined],
  ['cat one &', undefined],
  ['! cat one', undefined],
  ['echo one', undefined],
  ['', undefined],
])('of %j bash executes %j', (script, words) => {
  expect(onlyProgramOf(['/bin/bash', '-c', script])).toEqual(words);
});

test('the only program of a command is not known of another shell, a login shell and a program', () => {
  const others = [
    ['/bin/zsh', '-c', 'cat file'],
    ['/bin/bash', '-lc', 'cat file'],
    ['./bash', '-c', 'cat file'],
    ['/bin/bash', '-c', 'cat file', 'name'],
    ['cat', 'file'],
  ];
  expect(others.map(onlyProgramOf)).toEqual(others.map(() => undefined));
});

test.skipIf(process.platform === 'win32')(
  'the only program of a command is never a builtin or a keyword of bash that is known to only read',
  () => {
    const own = execFileSync('/bin/bash', ['--norc', '-c', 'compgen -b -k'], { encoding: 'utf8' }).split('\n');
    const safe = own.filter((name) => isKnownSafe([name], 'linux'));
    expect(safe).toContain('echo');
    expect(safe.filter((name) => onlyProgramOf(['/bin/bash', '-c', `${name} x`]) !== undefined)).toEqual([]);
  },
);
