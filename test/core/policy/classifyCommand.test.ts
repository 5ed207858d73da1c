import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classifyCommand } from '../../../src/core/policy/commandTree.ts';
import { parseScript } from '../../../src/core/policy/parseScript.ts';
import { splitShellWords } from '../../../src/core/policy/shellWords.ts';

const words = (text: string): string[] => splitShellWords(text) ?? [];
const classify = (text: string): string => classifyCommand(words(text), 'linux');
const classifyScript = (script: string): string => classifyCommand(['bash', '-lc', script], 'linux');

describe('known safe', () => {
  test.each([
    'cat a b',
    '/usr/bin/cat a',
    'ls -la',
    'grep -rn "a b" src',
    'find . -name x -type f',
    'rg -n foo src',
    'sed -n 5p file',
    'sed -n 1,20p',
    'base64 -d file',
    'sort -u file',
    'uniq -c file',
    'uniq -c -- -file',
    'tac file',
    'git status',
    'git --no-pager log -p -5',
    'git diff HEAD^ -- src',
    'git show --stat HEAD',
    'git branch -a --format=%(refname)',
    'git log --output-indicator-new=+',
    'timeout 5 cat a',
    'timeout -k 1 --signal=KILL 5s ls',
    'nice -n 5 ls',
    'command ls',
    'timeout 5 bash -lc "ls && cat a"',
  ])('%s', (text) => {
    expect(classify(text)).toBe('known-safe');
  });

  test.each(['ls && cat a | head -5; pwd', 'cd src && git status', "cat 'a b' || true"])('script: %s', (script) => {
    expect(classifyScript(script)).toBe('known-safe');
  });
});

describe('neither safe nor dangerous', () => {
  test.each([
    'npm test',
    './ls',
    '/tmp/evil/cat a',
    'evil\\cat a',
    'rm a',
    'rm -- -f',
    'find . -delete',
    'find . -exec cat {} ;',
    'find . -fprintf out x',
    'rg --pre=cat x',
    'rg --pr cat x',
    'rg -nz x',
    'rg --hostname-bin x y',
    'base64 -o out in',
    'base64 -dout -Do in',
    'base64 --outp=x',
    'sed -n 5p -i',
    'sed -i s/a/b/ f',
    'sed -n "5p;w out" f',
    'sed -n 5p a b',
    'sort -uo out in',
    'sort --compress-prog=sh in',
    'uniq in out',
    'uniq in -- -out',
    'uniq -- in -out',
    'git push',
    'git -c core.pager=evil log',
    'git -ccore.pager=evil log',
    'git --config-env=a=b log',
    'git -C /elsewhere status',
    'git --git-dir=/elsewhere status',
    'git --exec-path=/evil status',
    'git -p log',
    'git diff --output=x',
    'git diff --outp x',
    'git diff --ext-diff',
    'git show --textconv',
    'git log --show-signature',
    'git log --format=%G?',
    'git branch --format=%(signature:grade)',
    'git branch --format=%(*signature)',
    'git status --help',
    'git log --remerge-diff',
    'git show --diff-merges=remerge',
    'git diff --submodule=diff',
    'git status --ignore-submodules=none',
    'git branch new',
    'git branch -D old',
    'git',
    'sudo cat a',
    'env A=1 ls',
    'env ls',
    'env -S "ls -l"',
    'xargs cat',
    'xargs -I{} sh -c "cat {}"',
    'xargs -I git git push',
    'nohup ls',
    'command -v ls',
    'bash script.sh',
    'bash -x -c ls',
    'bash',
    '/tmp/bash -c ls',
    // In WSL these are programs of Windows, and only macOS treats capitals as the same name.
    'sort.exe in /O out',
    'git.exe status',
    'CAT a',
    'BASH -c ls',
    'NICE ls',
    'timeout.exe 5 ls',
    'eval ls',
    'timeout 5',
  ])('%s', (text) => {
    expect(classify(text)).toBe('other');
  });

  test.each(['ls > out', 'ls $HOME', 'npm test && ls', "cat <<'X'\na\nX\n", 'ls & ls', 'PATH=. ls', ''])(
    'script: %j',
    (script) => {
      expect(classifyScript(script)).toBe('other');
    },
  );

  test('macOS has no tac', () => {
    expect(classifyCommand(['tac', 'a'], 'darwin')).toBe('other');
  });
});

describe('dangerous', () => {
  test.each([
    'rm -f a',
    'rm -rf a',
    'rm -r a -f',
    'rm --force a',
    'rm --fo a',
    '/bin/rm -fr a',
    './rm -f a',
    'RM -rf a',
    'Git reset',
    'SUDO rm -f a',
    'BASH -c "rm -f a"',
    'git reset --hard',
    'git -C x reset',
    'git -c a=b clean -fdx',
    'git rm a',
    'sudo rm -rf a',
    'sudo -u root -- rm -f a',
    'sudo --strange rm -f a',
    'env -i A=1 rm -f a',
    'nice -n 5 timeout 3 rm -f a',
    'command rm -f a',
    'xargs rm -f',
    'xargs -I{} rm -f {}',
    'xargs --max-lines rm -f',
    'xargs -r -n 1 -P4 rm -f',
    'xargs -I X sh -c "rm -f X"',
    'find . -name a -exec rm -f {} +',
    'find . -ok rm -f {} ; -print',
    'bash -c "rm -f a"',
    'bash -e -c "rm -f a"',
    'dash -c "rm -f a"',
    'su -c "rm -rf a"',
    'eval rm -f a',
    'exec rm -f a',
    'bash -lc "sudo bash -c \'rm -f a\'"',
  ])('%s', (text) => {
    expect(classify(text)).toBe('dangerous');
  });

  test.each([
    'ls && rm -rf a',
    'for f in *; do rm -rf "$f"; done',
    'echo $(rm -f a)',
    'ls | xargs rm -f',
    'if a; then git reset --hard; fi',
    'rm -rf "$HOME"/x',
    'A=1 rm -f a',
    'rm -f a > log &',
    'clean() { rm -rf a; }; clean',
    'timeout 5 bash -c "rm -f $X"',
  ])('script: %s', (script) => {
    expect(classifyScript(script)).toBe('dangerous');
  });
});

describe('Windows', () => {
  const classifyWindows = (...argv: string[]): string => classifyCommand(argv, 'win32');

  test('only constant PowerShell that reads is safe; a bare name might be a program in the folder', () => {
    expect(classifyWindows('powershell.exe', '-NoProfile', '-Command', 'Get-ChildItem src | Select-String foo')).toBe(
      'known-safe',
    );
    expect(classifyWindows('powershell.exe', '-NoProfile', '-Command', 'Get-Content $x')).toBe('other');
    expect(classifyWindows('cmd.exe', '/c', 'dir')).toBe('other');
    expect(classifyWindows('ls')).toBe('other');
  });

  test('forced deletes and opened addresses are dangerous', () => {
    expect(classifyWindows('cmd.exe', '/c', 'del /f /q a')).toBe('dangerous');
    expect(classifyWindows('pwsh', '-c', 'Remove-Item a -Recurse -Force')).toBe('dangerous');
    expect(classifyWindows('cmd', '/c', 'start https://evil.example')).toBe('dangerous');
  });
});

test('a script is as dangerous as its most dangerous command, wherever it is', () => {
  const harmless = fc.constantFrom('ls', 'cat a', 'npm test', 'git status', 'timeout 3 ls');
  const dangerous = fc.constantFrom('rm -f a', 'git reset', 'sudo rm -rf x', 'find . -exec rm -f {} +');
  const operator = fc.constantFrom(' && ', ' || ', ' | ', '; ', '\n', ' & ');
  fc.assert(
    fc.property(fc.array(harmless), dangerous, fc.array(harmless), operator, (before, bad, after, between) => {
      expect(classifyScript([...before, bad, ...after].join(between))).toBe('dangerous');
    }),
  );
});

const OPENINGS = ['$(', '"${a:-', '<(', '`', '{ ', 'case a in b) ', '((1+', '$((', 'if ', '$(( $( '];

test.each(OPENINGS)('"%s" inside itself 400 times needs little stack', (opening) => {
  const script = opening.repeat(400);
  expect(nearTheEndOfTheStack(() => classifyCommand(['bash', '-c', script], 'linux'))).toBe('other');
});

test('a script with thousands of substitutions is not taken apart', () => {
  const parsed = parseScript(`ls ${'$(( $( '.repeat(100_000)}`);
  expect(parsed).toMatchObject({ type: 'opaque', why: 'it is nested too deeply' });
});

test('many commands beside each other need little stack', () => {
  expect(nearTheEndOfTheStack(() => classifyCommand(['bash', '-c', 'ls; '.repeat(50_000)], 'linux'))).toBe(
    'known-safe',
  );
});

/** Calls it 3,000 calls before the stack is full: about 300 kB are left of 984. */
function nearTheEndOfTheStack<T>(run: () => T): T {
  let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
  let callsLeft = 0;
  const descend = (): void => {
    try {
      descend();
    } catch {
      // The stack is full: back to where enough is left.
    }
    callsLeft += 1;
    if (callsLeft === 3000) outcome = attempt(run);
  };
  descend();
  if (outcome === undefined) throw new Error('The stack is too small.');
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

function attempt<T>(run: () => T): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: run() };
  } catch (error) {
    return { error };
  }
}

test('hostile nesting ends quickly', () => {
  const deep = Array.from({ length: 5000 }, (_, index) => (index % 2 === 0 ? 'sudo' : '-X'));
  expect(classifyCommand([...deep, 'ls'], 'linux')).toBe('other');
  expect(classifyCommand(['bash', '-c', '$('.repeat(5000)], 'linux')).toBe('other');
  expect(
    classifyCommand(
      Array.from({ length: 60 }, () => 'nice'),
      'linux',
    ),
  ).toBe('other');
});
