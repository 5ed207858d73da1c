/** What boxes do to the folder they stand in, and what they leave there: nothing. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Quarantine } from '../../../src/node/sandbox/quarantine.ts';
import { sweepBoxes } from '../../../src/node/sandbox/sweep.ts';
import { noBox, Playground } from '../../support/boxed.ts';
import { ManualTimers } from '../../support/manualTimers.ts';
import { rounds } from '../../support/rounds.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { builtCli } from '../../support/runCli.ts';

const COMMANDS = rounds(30, 1000);
const ROUNDS = rounds(6, 100);

/** Leaves a box running in a process of its own. */
async function startSandbox(place: Playground, script: string) {
  const child = spawn(process.execPath, [await builtCli(), 'sandbox', '--', 'bash', '-c', script], {
    cwd: place.workspace,
    env: { PATH: process.env.PATH, HOME: place.folder.path, TILLER_HOME: place.home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  return { child, ended };
}

describe.skipIf(noBox)('the workspace', () => {
  test('is as it was when the last box is gone', async () => {
    using place = new Playground();
    await place.bash('ls -A > seen');
    expect(readFileSync(place.at('seen'), 'utf8')).toBe('.git\n.vscode\nseen\n');
    place.boxes.dispose();
    expect(readdirSync(place.workspace)).toEqual(['seen']);
  });

  test(`is not stirred by every command: ${COMMANDS} of them raise four events in all`, {
    timeout: 60_000,
  }, async () => {
    using place = new Playground();
    let events = 0;
    const watcher = watch(place.workspace, () => events++);
    await sleep(50);
    for (let count = 0; count < COMMANDS; count++) await place.run(['/bin/true']);
    place.boxes.dispose();
    await sleep(100);
    watcher.close();
    expect(events).toBe(4);
  });

  test('is as it was two seconds after the last command of a turn, unless another comes', async () => {
    const timers = new ManualTimers();
    using place = new Playground({ timers });
    const names = () => readdirSync(place.workspace);
    await place.run(['/bin/true']);
    place.boxes.rest();
    timers.pass(1_000);
    await place.run(['/bin/true']);
    timers.pass(1_900);
    expect(names()).toEqual(['.git', '.vscode']);
    place.boxes.rest();
    timers.pass(2_000);
    expect(names()).toEqual([]);
    const child = await place.start(['/bin/sleep', '0.2']);
    place.boxes.rest();
    timers.pass(10_000);
    expect(names()).toEqual(['.git', '.vscode']);
    await child.exited;
    timers.pass(2_000);
    expect(names()).toEqual([]);
  });

  test('keeps what the person puts where a mount point was', async () => {
    using place = new Playground();
    await place.run(['/bin/true']);
    writeFileSync(place.at('.vscode', 'settings.json'), '{}');
    const story = await place.bash('cat .vscode/settings.json; echo x > .vscode/settings.json');
    expect(story).toMatchObject({ code: 1, stdout: '{}', findings: [] });
    place.boxes.dispose();
    expect(readdirSync(place.workspace)).toEqual(['.vscode']);
  });

  test('keeps an empty folder of the person', async () => {
    using place = new Playground();
    mkdirSync(place.at('.vscode'));
    await place.run(['/bin/true']);
    place.boxes.dispose();
    expect(readdirSync(place.workspace)).toEqual(['.vscode']);
  });

  test('is clean after kill -9 of the host, at the next start, and nothing of the box lives on', async () => {
    using place = new Playground();
    const { child, ended } = await startSandbox(
      place,
      'echo x > alive; echo up; while sleep 0.05; do echo x >> alive; done',
    );
    expect(readdirSync(place.workspace)).toContain('.git');
    child.kill('SIGKILL');
    await ended;
    await sleep(200);
    const size = () => readFileSync(place.at('alive'), 'utf8').length;
    const before = size();
    await sleep(200);
    expect(size()).toBe(before);
    sweepBoxes(place.home);
    expect(readdirSync(place.workspace)).toEqual(['alive']);
  });

  test('is clean after kill -9 of the box', async () => {
    using place = new Playground();
    const child = await place.start(['/bin/bash', '-c', 'sleep 30']);
    process.kill(child.pid ?? 0, 'SIGKILL');
    expect(await child.exited).toMatchObject({ code: 137 });
    place.boxes.dispose();
    expect(readdirSync(place.workspace)).toEqual([]);
  });

  test.each(['ends', 'is killed'])(
    'is written by nobody any more when a command with much in the background %s',
    async (end) => {
      using place = new Playground();
      const writers = 'for one in {1..16}; do while :; do echo x >> "file$one"; done >/dev/null 2>&1 & done';
      const sizes = () => readdirSync(place.workspace).map((name) => lstatSync(place.at(name)).size);
      for (let round = 0; round < ROUNDS; round++) {
        const child = await place.start(['/bin/bash', '-c', `(${writers}); sleep ${end === 'ends' ? 0.1 : 30}`]);
        if (end === 'is killed') {
          await sleep(100);
          process.kill(child.pid ?? 0, 'SIGKILL');
        }
        await child.exited;
        const then = sizes();
        await sleep(20);
        expect(sizes()).toEqual(then);
      }
    },
  );

  test('keeps a mount point that the box of another process stands on', async () => {
    using place = new Playground();
    const { child, ended } = await startSandbox(place, 'echo up; sleep 1; mkdir .git/hooks; echo $? > code');
    await place.run(['/bin/true']);
    place.boxes.dispose();
    sweepBoxes(place.home);
    expect(existsSync(place.at('.git'))).toBe(true);
    await ended;
    expect(child.exitCode).toBe(0);
    expect(readFileSync(place.at('code'), 'utf8')).toBe('1\n');
    expect(readdirSync(place.workspace)).toEqual(['code']);
  });

  test('may be reached by a link from where nothing is seen, and hold folders that nobody may enter', async () => {
    using place = new Playground();
    using elsewhere = tempFolder();
    symlinkSync(place.workspace, elsewhere.at('link'));
    mkdirSync(place.at('closed', 'inner'), { recursive: true });
    chmodSync(place.at('closed'), 0o444);
    expect(await place.bash('pwd; touch x', { cwd: elsewhere.at('link') })).toMatchObject({
      code: 0,
      stdout: `${place.workspace}\n`,
      findings: [],
    });
  });

  test('sees a folder beside it that is writable too, with its own protected names', async () => {
    const outside = new Playground();
    using place = new Playground({ policy: { writableRoots: [outside.workspace] } });
    mkdirSync(outside.at('.git'));
    const story = await place.bash(`echo a > ${outside.at('a')}; echo b > ${outside.at('.git', 'b')}`);
    expect(story.stderr).toContain('Read-only file system');
    expect(readdirSync(outside.workspace).toSorted()).toEqual(['.git', '.vscode', 'a']);
    outside[Symbol.dispose]();
  });
});

test('a temporary folder goes when no command has used it for days', () => {
  using home = tempFolder();
  mkdirSync(home.at('tmp', 'thread'), { recursive: true });
  const now = Date.now();
  sweepBoxes(home.path, now + 2 * 86_400_000);
  expect(readdirSync(home.at('tmp'))).toEqual(['thread']);
  sweepBoxes(home.path, now + 4 * 86_400_000);
  expect(readdirSync(home.at('tmp'))).toEqual([]);
});

describe.skipIf(noBox)('what a command leaves behind', () => {
  test('a name for agents is moved away, told, and back at one word', async () => {
    using place = new Playground();
    const { findings } = await place.bash('mkdir .claude && echo x > .claude/settings.json');
    expect(findings).toMatchObject([{ kind: 'quarantined', path: place.at('.claude') }]);
    expect(existsSync(place.at('.claude'))).toBe(false);
    const quarantine = new Quarantine(place.home);
    const [entry] = quarantine.list();
    expect(quarantine.putBack(entry?.id ?? '')).toBe(place.at('.claude'));
    expect(readFileSync(place.at('.claude', 'settings.json'), 'utf8')).toBe('x\n');
    expect(quarantine.list()).toEqual([]);
    expect(() => quarantine.putBack(entry?.id ?? '')).toThrow('put back before');
  });

  test.each(['.vscode', '.claude'])('a link %s leads where it led', async (name) => {
    using place = new Playground();
    mkdirSync(place.at('real'));
    writeFileSync(place.at('real', 'settings.json'), '{}');
    symlinkSync('real', place.at(name));
    const { findings } = await place.bash(
      `echo x > ${name}/settings.json; rm ${name}; mkdir ${name}; echo x > ${name}/y`,
    );
    expect(findings).toMatchObject([{ kind: 'quarantined', path: place.at(name) }]);
    expect(lstatSync(place.at(name)).isSymbolicLink()).toBe(true);
    expect(readlinkSync(place.at(name))).toBe('real');
    expect(readFileSync(place.at(name, 'settings.json'), 'utf8')).toBe('{}');
  });

  test.each([
    [
      'a nested repository',
      'mkdir -p a/b/.git/hooks; printf "[core]\\n fsmonitor = ./x\\n" > a/b/.git/config',
      'a/b/.git',
    ],
    [
      'a bare one',
      'mkdir -p b/objects b/refs; touch b/HEAD; printf "[filter \\"x\\"]\\n clean = ./x\\n" > b/config',
      'b',
    ],
    ['a hook', 'mkdir -p c/.git/hooks; touch c/.git/hooks/pre-commit', 'c/.git'],
    [
      'a pointer',
      'mkdir -p d store; echo "gitdir: ../store" > d/.git; printf "[core]\\nsshCommand=x\\n" > store/config',
      'd/.git',
    ],
  ])('%s that would run programs is told', async (_, script, repository) => {
    using place = new Playground();
    const { findings } = await place.bash(script);
    expect(findings).toMatchObject([{ kind: 'git_metadata', path: place.at(repository) }]);
    const again = await place.bash('true');
    expect(again.findings).toEqual([]);
    const { stderr } = await place.bash(`echo x >> ${path.join(repository, 'config')}`);
    expect(stderr).toMatch(/Read-only file system|Not a directory/);
  });

  test.each([
    ['a repository', 'in/a/.git', 'git init -q in/a', 'git init -q in/a; git -C in/a config core.fsmonitor ./x'],
    ['a bare one', 'in/b', 'git init -q --bare in/b', 'git init -q --bare in/b; git -C in/b config core.fsmonitor ./x'],
    [
      'a worktree',
      'in/c/.git',
      'git init -q r; mkdir -p in/c; echo gitdir: ../../r/.git > in/c/.git',
      'mkdir -p in/c/.git; printf "[core]\\nfsmonitor=./x\\n" > in/c/.git/config',
    ],
  ])('%s put in the place of another is told', async (_, repository, first, second) => {
    using place = new Playground();
    expect(await place.bash(first)).toMatchObject({ code: 0, findings: [] });
    const { findings } = await place.bash(`mv in out; mkdir in; ${second}`);
    expect(findings).toMatchObject([{ kind: 'git_metadata', path: place.at(repository) }]);
  });

  test('settings put in the place of others are told', async () => {
    using place = new Playground();
    mkdirSync(place.at('in', '.vscode'), { recursive: true });
    const { findings } = await place.bash('mv in out; mkdir -p in/.vscode; echo x > in/.vscode/tasks.json');
    expect(findings).toMatchObject([{ kind: 'left_behind', path: place.at('in', '.vscode') }]);
  });

  test.each([
    ['a bare repository that was there', 'b', 'git init -q --bare b'],
    ['a new repository', 'b/.git', 'mkdir -p b/.git'],
  ])('%s that is led to the configuration of another is told', async (_, repository, first) => {
    using place = new Playground();
    const evil = 'mkdir evil; printf "[core]\\nfsmonitor=./x\\n" > evil/config';
    if (repository === 'b') expect(await place.bash(first)).toMatchObject({ code: 0, findings: [] });
    const { findings } = await place.bash(`${evil}; ${first}; echo $PWD/evil > ${repository}/commondir`);
    expect(findings).toMatchObject([{ kind: 'git_metadata', path: place.at(repository) }]);
  });

  test('a name that a terminal would obey, or that is two lines, is told so that it can be seen', async () => {
    using place = new Playground();
    const script = `d=$(printf 'a\\033[2J\\nProcess exited'); mkdir -p "$d/.git/hooks"; touch "$d/.git/hooks/pre-commit"`;
    const { findings } = await place.bash(script);
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${place.at('a\\u{1b}[2J\\nProcess exited', '.git')}, and it has the hooks pre-commit:`),
    ]);
  });

  test('a bare repository that has its objects from another is told, and cannot be changed from then on', async () => {
    using place = new Playground();
    const { findings } = await place.bash(
      'mkdir -p B/objects B/refs A; touch A/HEAD; echo ../B > A/commondir; printf "[core]\\nfsmonitor=./x\\n" > A/config.worktree',
    );
    expect(findings).toMatchObject([{ kind: 'git_metadata', path: place.at('A') }]);
    for (const name of ['config.worktree', 'commondir']) {
      const { stderr } = await place.bash(`echo x >> A/${name}`);
      expect(stderr).toContain('Read-only file system');
    }
  });

  test.skipIf(process.getuid?.() !== 0)(
    'a device of the machine whose rights root has changed is put right',
    async () => {
      using place = new Playground();
      const before = lstatSync('/dev/full').mode;
      const { findings } = await place.bash('chmod 0660 /dev/full; chmod 0662 /proc/self/fd/0');
      expect(findings.map((one) => one.path)).toEqual(['/dev/null', '/dev/full']);
      expect(lstatSync('/dev/full').mode).toBe(before);
    },
  );

  test('a pointer of gigabytes is not read whole', async () => {
    using place = new Playground();
    const before = process.resourceUsage().maxRSS;
    await place.bash('mkdir n; truncate -s 1900M n/.git');
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(500_000);
  });

  test('a plain new repository is nothing to tell', async () => {
    using place = new Playground();
    const { findings } = await place.bash('mkdir n && cd n && git init -q . && git config user.name x');
    expect(findings).toEqual([]);
  });
});
