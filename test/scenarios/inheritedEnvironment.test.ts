/**
 * Variables that turn a command that reads into one that runs a program or writes: a command that runs unasked for its
 * name gets none of them. Each is also tried on the real program, so that one that has become harmless is noticed.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { harmlessEnvironment } from '../../src/core/policy/harmlessEnvironment.ts';
import { DEFAULT_ENVIRONMENT } from '../../src/protocol/settings.ts';
import { calls, says } from '../support/modelServer.ts';
import { startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';

interface Trap {
  readonly name: string;
  readonly cmd: string;
  /** `program` leaves the marker; `trace` is its file. */
  readonly env: (place: { program: string; trace: string; folder: string }) => Record<string, string>;
}

const TRAPS: readonly Trap[] = [
  { name: 'GIT_EXTERNAL_DIFF', cmd: 'git diff', env: ({ program }) => ({ GIT_EXTERNAL_DIFF: program }) },
  {
    name: 'GIT_CONFIG_PARAMETERS',
    cmd: 'git diff',
    env: ({ program }) => ({ GIT_CONFIG_PARAMETERS: `'diff.external=${program}'` }),
  },
  {
    name: 'GIT_CONFIG_COUNT',
    cmd: 'git diff',
    env: ({ program }) => ({
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'diff.external',
      GIT_CONFIG_VALUE_0: program,
    }),
  },
  {
    name: 'GIT_CONFIG_GLOBAL',
    cmd: 'git diff',
    env: ({ program, folder }) => {
      writeFileSync(path.join(folder, 'global'), `[diff]\n\texternal = ${program}\n`);
      return { GIT_CONFIG_GLOBAL: path.join(folder, 'global') };
    },
  },
  { name: 'GIT_TRACE', cmd: 'git status', env: ({ trace }) => ({ GIT_TRACE: trace }) },
  {
    name: 'GIT_DIR',
    cmd: 'git diff',
    env: ({ program, folder }) => {
      execFileSync('cp', ['-r', '.git', 'other.git'], { cwd: folder });
      execFileSync('git', ['--git-dir=other.git', 'config', 'diff.external', program], { cwd: folder });
      return { GIT_DIR: path.join(folder, 'other.git'), GIT_WORK_TREE: folder };
    },
  },
  { name: 'BASH_ENV', cmd: 'cat file', env: ({ program }) => ({ BASH_ENV: program }) },
  { name: 'BASH_FUNC_cat%%', cmd: 'cat file', env: ({ program }) => ({ 'BASH_FUNC_cat%%': `() { ${program}; }` }) },
];

function plant(folder: string): { program: string; trace: string; folder: string } {
  const trace = path.join(folder, 'trace');
  const program = path.join(folder, 'run-me');
  writeFileSync(program, `#!/bin/bash\n: > ${trace}\n`);
  chmodSync(program, 0o755);
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: folder });
  git('init', '-q');
  writeFileSync(path.join(folder, 'file'), 'one\n');
  git('add', 'file');
  git('commit', '-qm', 'one');
  // The size differs: git compares whole seconds, and a copied index is not checked again.
  writeFileSync(path.join(folder, 'file'), 'changed\n');
  return { program, trace, folder };
}

describe('a command that is known to only read', () => {
  it.each(TRAPS)('is not changed by an inherited $name', async ({ cmd, env }) => {
    using other = tempFolder();
    mkdirSync(other.at('real'));
    const real = plant(other.at('real'));
    execFileSync('bash', ['-c', cmd], { cwd: real.folder, env: { ...process.env, ...env(real) } });
    expect(existsSync(real.trace)).toBe(true);

    let inherited: Record<string, string> = {};
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      policy: 'untrusted',
      // Variables kept by the settings are for commands that needed approval.
      environment: { ...DEFAULT_ENVIRONMENT, keep: ['*'] },
      deps: (ports) => ({
        host: {
          ...ports.host,
          get environment() {
            return { ...ports.host.environment, ...inherited };
          },
        },
      }),
      model: [[calls('exec_command', { cmd })], [says('Done.')]],
    });
    const place = plant(chat.folder.path);
    inherited = env(place);
    rmSync(place.trace, { force: true });
    await chat.send('go');
    expect(chat.said('approval_requested')).toEqual([]);
    expect(chat.items('command_execution')).toMatchObject([{ exitCode: 0 }]);
    expect(existsSync(place.trace)).toBe(false);
  });

  it('keeps the variables for user, folders and locale', () => {
    const kept = {
      HOME: '/home/me',
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      TERM: 'dumb',
      TMPDIR: '/t',
      PAGER: 'cat',
      TILLER: '1',
    };
    const loaders =
      'RIPGREP_CONFIG_PATH PYTHONPATH PYTHONSTARTUP NODE_OPTIONS PERL5OPT PERL5LIB RUBYOPT LD_PRELOAD ENV LESSOPEN CDPATH ZDOTDIR GCONV_PATH GIT_SSH_COMMAND ANYTHING';
    const environment = {
      ...kept,
      PATH: '/work/bin:/usr/bin',
      ...Object.fromEntries(loaders.split(' ').map((name) => [name, 'x'])),
    };
    const found = harmlessEnvironment(environment, ['/work'], 'linux');
    const notGit = Object.fromEntries(Object.entries(found).filter(([name]) => !name.startsWith('GIT_')));
    expect(notGit).toEqual({ ...kept, PATH: '/usr/bin' });
    expect(Object.keys(found).filter((name) => name.startsWith('GIT_'))).not.toContain('GIT_SSH_COMMAND');
    expect(
      harmlessEnvironment({ SystemRoot: 'C:\\Windows', Path: 'C:\\bin', PSModulePath: 'x' }, [], 'win32'),
    ).toMatchObject({ SystemRoot: 'C:\\Windows', Path: 'C:\\bin' });
  });
});
