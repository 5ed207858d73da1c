/** `tiller apply-patch`, as specified in docs/cli.md. */
import { execFile, execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { builtCli, runCli } from '../support/runCli.ts';
import { tempFolder } from '../support/tempFolder.ts';

const FILES = { 'keep.txt': 'one\ntwo\n', 'gone.txt': 'x\n', 'old/name.txt': 'a\n' };
const PATCH = `*** Begin Patch
*** Delete File: gone.txt
*** Update File: keep.txt
@@
-two
+TWO
*** Update File: old/name.txt
*** Move to: new/name.txt
@@
-a
+b
*** Add File: made/here.txt
+hello
*** End Patch`;

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly files: Record<string, string>;
  readonly links: readonly string[];
}

async function apply(
  args: readonly string[],
  options: { stdin?: string; files?: Record<string, string>; prepare?: (at: (name: string) => string) => void } = {},
): Promise<Run> {
  using folder = tempFolder();
  using home = tempFolder();
  for (const [name, text] of Object.entries(options.files ?? FILES)) {
    mkdirSync(path.dirname(folder.at(name)), { recursive: true });
    writeFileSync(folder.at(name), text);
  }
  options.prepare?.(folder.at);
  const run = await runCli(['apply-patch', ...args], {
    home: home.path,
    cwd: folder.path,
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
  });
  const names = readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).toSorted();
  const files = names.filter((name) => statSync(folder.at(name)).isFile());
  const links = names.filter((name) => lstatSync(folder.at(name)).isSymbolicLink());
  return {
    ...run,
    links,
    files: Object.fromEntries(files.map((name) => [name, readFileSync(folder.at(name), 'utf8')])),
  };
}

const DONE = { 'keep.txt': 'one\nTWO\n', 'made/here.txt': 'hello\n', 'new/name.txt': 'b\n' };

/** The output on a terminal. */
async function onTerminal(patch: string): Promise<string> {
  using folder = tempFolder();
  const command = `exec '${process.execPath}' '${await builtCli()}' apply-patch "$PATCH"`;
  const env = { PATH: process.env.PATH, HOME: folder.path, PATCH: patch, SHELL: '/bin/sh' };
  const { stdout } = await promisify(execFile)('script', ['-qec', command, '/dev/null'], { cwd: folder.path, env });
  return stdout;
}

describe('apply-patch', { concurrent: true }, () => {
  it('refuses an empty patch from a pipe in one sentence', async () => {
    const update = '*** Begin Patch\n*** Update File: pipe\n@@\n-a\n+b\n*** End Patch';
    const { code, stderr } = await apply([update], { prepare: (at) => execFileSync('mkfifo', [at('pipe')]) });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Cannot read \S+pipe to update it: it is a device, a pipe or a socket\.\n$/);
  });

  it.each([
    ['an argument', [PATCH], undefined],
    ['an argument behind --', ['--', PATCH], undefined],
    ['stdin', [], PATCH],
  ] as const)('from %s is applied, and told as A, M, D', async (_, args, stdin) => {
    const run = await apply(args, stdin === undefined ? {} : { stdin });
    expect(run).toMatchObject({ code: 0, stderr: '', files: DONE });
    expect(run.stdout).toBe('A made/here.txt\nM keep.txt\nM new/name.txt\nD gone.txt\n');
  });

  it('escapes control characters of file names on a terminal', async () => {
    const name = 'red\u001b[31m.txt';
    const add = `*** Begin Patch\n*** Add File: ${name}\n+a\n*** End Patch`;
    expect(await onTerminal(add)).toBe('A red\\u{1b}[31m.txt\r\n');
    const added = await apply([add], { files: {} });
    expect(added).toMatchObject({ code: 0, stdout: `A ${name}\n`, stderr: '', files: { [name]: 'a\n' } });
    const refused = await apply([`*** Begin Patch\n*** Delete File: ${name}\n*** End Patch`]);
    expect(refused).toMatchObject({ code: 1, stdout: '', files: FILES });
    expect(refused.stderr).toContain('red\\u{1b}[31m.txt');
    expect(refused.stderr).not.toContain('\u001b');
  });

  it('changes no file when one part of the patch does not fit', async () => {
    const run = await apply([PATCH.replace('-a\n', '-nowhere\n')]);
    expect(run).toMatchObject({ code: 1, stdout: '', files: FILES });
    expect(run.stderr).toContain('name.txt');
  });

  it('writes through a link to a file, and keeps the link', async () => {
    const run = await apply(['*** Begin Patch\n*** Update File: link.txt\n@@\n-one\n+ONE\n*** End Patch'], {
      files: { 'real.txt': 'one\n' },
      prepare: (at) => symlinkSync('real.txt', at('link.txt')),
    });
    expect(run).toMatchObject({
      code: 0,
      files: { 'link.txt': 'ONE\n', 'real.txt': 'ONE\n' },
      links: ['link.txt'],
    });
  });

  it('applies no policy: the user typed the patch', async () => {
    const patch = '*** Begin Patch\n*** Add File: .vscode/settings.json\n+{}\n*** End Patch';
    expect(await apply([patch], { files: {} })).toMatchObject({ code: 0, files: { '.vscode/settings.json': '{}\n' } });
  });

  it.each([
    ['is empty', [''], 1],
    ['is no patch', ['hello'], 1],
    ['is not given at all', [], 2],
    ['is two', [PATCH, PATCH], 2],
    ['comes with an option there is not', ['--nonsense'], 2],
  ] as const)('that %s is refused', async (_, args, code) => {
    const run = await apply(args, { stdin: '' });
    expect(run).toMatchObject({ code, stdout: '', files: FILES });
    expect(run.stderr.trimEnd().split('\n').length).toBeGreaterThanOrEqual(1);
    if (code === 2) expect(run.stderr).toMatch(/^tiller: .*\n$/);
  });
});
