/**
 * Repositories that would start a program while git only reads: under `untrusted` nothing of
 * them runs unasked. Each is also run with the real git, so that a repository that has become harmless is noticed.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { GIT_HARDENING_ENVIRONMENT } from '../../src/core/policy/gitHardening.ts';
import { calls, says } from '../support/modelServer.ts';
import { startScenario } from '../support/startScenario.ts';

interface Trap {
  readonly name: string;
  readonly script: string;
  /** The folder in which the call asks to run. */
  readonly workdir?: string;
  plant(folder: string): void;
}

const git = (cwd: string, ...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'filter.x.clean=cat', ...words], { cwd });

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A program of the workspace that leaves a marker file. */
function program(folder: string): string {
  const file = path.join(folder, 'run-me');
  write(file, `#!/bin/sh\necho started >> ${path.join(folder, 'started')}\ncat\n`);
  chmodSync(file, 0o755);
  return file;
}

/** A repository in which reading a file starts the program. */
function filtered(folder: string, at: string): string {
  const top = path.join(folder, at);
  const file = program(folder);
  mkdirSync(top, { recursive: true });
  git(top, 'init', '-q');
  write(path.join(top, 'sub/file'), 'one\n');
  write(path.join(top, '.gitattributes'), '* filter=x\n');
  git(top, 'add', '.');
  git(top, 'commit', '-qm', 'one');
  git(top, 'config', 'filter.x.clean', file);
  // The length is the same as before: git skips a file whose length has not changed.
  write(path.join(top, 'sub/file'), 'two\n');
  return top;
}

const TRAPS: readonly Trap[] = [
  {
    name: 'a command that lists the references of an alternate',
    script: 'git log --alternate-refs',
    plant(folder) {
      git(folder, 'init', '-q');
      git(folder, 'commit', '-q', '--allow-empty', '-m', 'one');
      git(folder, 'init', '-q', '--bare', 'alternate');
      write(path.join(folder, '.git/objects/info/alternates'), `${folder}/alternate/objects\n`);
      git(folder, 'config', 'core.alternateRefsCommand', `${program(folder)} < /dev/null; :`);
    },
  },
  {
    name: 'a .git that is none, below one that is',
    script: 'git status',
    workdir: 'top/sub',
    plant: (folder) => mkdirSync(path.join(filtered(folder, 'top'), 'sub/.git')),
  },
  {
    name: 'an option before the folder of a cd',
    script: 'cd -P top && git diff',
    plant: (at) => void filtered(at, 'top'),
  },
  {
    name: 'a cd that fails before another',
    script: 'cd none; cd top && git diff',
    plant: (at) => void filtered(at, 'top'),
  },
  {
    name: 'a cd in a pipe before another',
    script: 'cd other | cat; cd top; git diff',
    plant(folder) {
      mkdirSync(path.join(folder, 'other'));
      filtered(folder, 'top');
    },
  },
  {
    name: 'a link into a repository that is elsewhere',
    script: 'git diff',
    workdir: 'link',
    plant: (folder) => symlinkSync(path.join(filtered(folder, 'other/top'), 'sub'), path.join(folder, 'link')),
  },
  {
    name: 'a .git that points two ways',
    script: 'git diff',
    plant(folder) {
      const top = filtered(folder, 'other/top');
      renameSync(path.join(top, '.git'), path.join(top, 'repository'));
      symlinkSync(path.join(top, 'sub'), path.join(folder, 'link'));
      git(folder, 'init', '-q', '--separate-git-dir', 'repository'); // the target of the name when no link is followed
      write(path.join(folder, '.git'), 'gitdir: link/../repository\n');
      write(path.join(folder, '.gitattributes'), '* filter=x\n');
      write(path.join(folder, 'sub/file'), 'another\n');
    },
  },
];

describe('git that only reads does not start', () => {
  it.each(TRAPS)('$name', async ({ script, workdir, plant }) => {
    await using chat = await startScenario({
      policy: 'untrusted',
      sandbox: 'danger-full-access',
      interactive: false,
      model: [[calls('exec_command', { cmd: script, ...(workdir === undefined ? {} : { workdir }) })], [says('Done.')]],
    });
    plant(chat.folder.path);
    await chat.send('go');
    expect(existsSync(chat.folder.at('started'))).toBe(false);
    expect(chat.outputs()).toEqual([expect.stringMatching(/^Denied \(non_interactive\)/)]);
    // The trap works: the same script, with every outside setting, starts the program.
    const env = { ...process.env, ...GIT_HARDENING_ENVIRONMENT };
    execFileSync('bash', ['-c', script], { cwd: chat.folder.at(workdir ?? '.'), env, stdio: 'pipe' });
    expect(existsSync(chat.folder.at('started'))).toBe(true);
  });
});
