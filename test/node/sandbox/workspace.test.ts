/** The effects of sandboxes on their folder: none remain. */
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { forReading } from '../../../src/core/sandbox/confinement.ts';
import { createExec } from '../../../src/node/exec.ts';
import { listProcesses } from '../../../src/node/process/processTable.ts';
import { mountedFolders } from '../../../src/node/sandbox/mountedFolders.ts';
import { inspectTree } from '../../../src/node/sandbox/inspectTree.ts';
import { Sandboxes } from '../../../src/node/sandbox/launch.ts';
import { Quarantine } from '../../../src/node/sandbox/quarantine.ts';
import { SecretLinks } from '../../../src/node/sandbox/secretLinks.ts';
import { sweepSandboxes, sweepMountPoints } from '../../../src/node/sandbox/sweep.ts';
import { TreeScan } from '../../../src/node/sandbox/treeScan.ts';
import { createLocks } from '../../../src/node/storage/locks.ts';
import { noSandbox, Playground } from '../../support/sandboxed.ts';
import { rounds } from '../../support/rounds.ts';
import { bundled, runFile } from '../../support/runTypeScript.ts';
import { tempFolder } from '../../support/tempFolder.ts';
import { builtCli } from '../../support/runCli.ts';

/** Leaves a sandbox running in a process of its own. */
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

/** The files in TILLER_HOME about folders in workspaces. */
function leftBy({ home }: Playground): string[] {
  return readdirSync(path.join(home, 'box', 'mounts'));
}

function watching(folder: string, onChange: (name: string) => void): Disposable {
  const watcher = watch(folder, (_, name) => onChange(String(name)));
  return { [Symbol.dispose]: () => watcher.close() };
}

describe.skipIf(noSandbox)('the workspace', () => {
  test('is as it was when a command has ended, also with two at a time', async () => {
    using place = new Playground();
    await place.bash('ls -A > seen');
    expect(readFileSync(place.at('seen'), 'utf8')).toBe('.git\n.vscode\nseen\n');
    await expect.poll(() => readdirSync(place.workspace)).toEqual(['seen']);
    const long = await place.start(['/bin/sleep', '30']);
    await place.run(['/bin/true']);
    expect(readdirSync(place.workspace)).toEqual(['.git', '.vscode', 'seen']);
    await long.kill(0);
    expect(readdirSync(place.workspace)).toEqual(['seen']);
  });

  test('has no file of Tiller after a command: created files are removed, event by event', {
    timeout: 60_000,
  }, async () => {
    using place = new Playground();
    const seen: string[] = [];
    using _ = watching(place.workspace, (name) => seen.push(name));
    for (let count = 0; count < 20; count++) {
      await place.run(['/bin/true']);
      await expect.poll(() => readdirSync(place.workspace), { interval: 1 }).toEqual([]);
    }
    await expect.poll(() => seen.toSorted()).toEqual([...Array(40).fill('.git'), ...Array(40).fill('.vscode')]);
  });

  test('has nothing for Source Control while a command runs, and no event of one that only reads', async () => {
    using place = new Playground();
    execFileSync('git', ['init', '-q', place.workspace]);
    const status = () => execFileSync('git', ['status', '--porcelain', '-uall', '--ignored'], { cwd: place.workspace });
    const command = await place.start(['/bin/sleep', '600']);
    expect(readdirSync(place.workspace)).toEqual(['.git', '.vscode']);
    expect(status().toString()).toBe('');
    await command.kill(0);
    const seen: string[] = [];
    using _ = watching(place.workspace, (name) => seen.push(name));
    const confinement = forReading({ type: 'sandbox', limits: place.limits });
    expect(await place.run(['/bin/ls', '-A'], { confinement })).toMatchObject({ stdout: '.git\n' });
    writeFileSync(place.at('last'), '');
    await expect.poll(() => seen, { timeout: 20_000 }).toContain('last');
    expect(new Set(seen)).toEqual(new Set(['last']));
  });

  test('has a mount point again for a command that starts while the one of the last command is removed', () => {
    using place = new Playground();
    mkdirSync(place.at('.vscode'));
    const { heldNames, facts } = inspectTree(place.limits, place.workspace, {
      scan: new TreeScan(),
      links: new SecretLinks(),
      isMountPoint(name) {
        rmSync(name, { recursive: true, force: true });
        return false;
      },
      marksMountPoints: false,
    });
    expect(heldNames).toContain(place.at('.vscode'));
    expect(facts.readOnly).toEqual([]);
  });

  test('keeps a file of the user in place of a mount point', async () => {
    using place = new Playground();
    const script = 'until [ -e .vscode/settings.json ]; do sleep 0.01; done; echo x > .vscode/settings.json';
    const running = place.bash(script);
    await expect.poll(() => readdirSync(place.workspace)).toContain('.vscode');
    writeFileSync(place.at('.vscode', 'settings.json'), '{}');
    expect(await running).toMatchObject({ code: 1, findings: [] });
    await expect.poll(() => readdirSync(place.workspace)).toEqual(['.vscode']);
    expect(readFileSync(place.at('.vscode', 'settings.json'), 'utf8')).toBe('{}');
  });

  test('has a mark for the Explorer as long as `.vscode` is a mount point, and no command changes the mark', async () => {
    using place = new Playground({ marksMountPoints: true });
    const seen: string[] = [];
    using _ = watching(place.workspace, (name) => {
      const names = readdirSync(place.workspace);
      if (name === '.vscode' && names.includes('.vscode') && !names.includes('.tiller-sandbox'))
        seen.push(names.join());
    });
    const ended = await place.bash('ls -A > seen; echo x > .tiller-sandbox/x; rmdir .tiller-sandbox');
    expect(ended).toMatchObject({ code: 1, findings: [] });
    expect(ended.stderr.match(/Read-only file system|Device or resource busy/g)).toHaveLength(2);
    expect(readFileSync(place.at('seen'), 'utf8')).toBe('.git\n.tiller-sandbox\n.vscode\nseen\n');
    await expect.poll(() => readdirSync(place.workspace)).toEqual(['seen']);
    expect(seen).toEqual([]);
    mkdirSync(place.at('.vscode'));
    await place.bash('ls -A > seen');
    expect(readFileSync(place.at('seen'), 'utf8')).toBe('.git\n.vscode\nseen\n');
  });

  test('has no mark any more when the user writes into `.vscode` while a command runs', async () => {
    using place = new Playground({ marksMountPoints: true });
    const command = await place.start(['/bin/bash', '-c', '> up; exec sleep 600']);
    // Before that, bubblewrap has not mounted on the mark yet.
    await expect.poll(() => readdirSync(place.workspace)).toEqual(['.git', '.tiller-sandbox', '.vscode', 'up']);
    writeFileSync(place.at('.vscode', 'settings.json'), '{}');
    await expect.poll(() => readdirSync(place.workspace)).toEqual(['.git', '.vscode', 'up']);
    await command.kill(0);
    expect(readdirSync(place.workspace)).toEqual(['.vscode', 'up']);
  });

  test('keeps the mark that another process has made while a command ran that makes none', async () => {
    using place = new Playground({ marksMountPoints: true });
    const sandboxes = new Sandboxes(place.home);
    const other = createExec({ home: place.home, sandboxes });
    const plain = await other.spawn(
      place.request(['/bin/bash', '-c', 'until [ -e .tiller-sandbox ]; do sleep 0.01; done']),
    );
    expect(readdirSync(place.workspace)).not.toContain('.tiller-sandbox');
    const marking = await place.start(['/bin/sleep', '600']);
    expect((await plain.exited).findings ?? []).toEqual([]);
    sandboxes.dispose();
    expect(readdirSync(place.workspace)).toContain('.tiller-sandbox');
    await marking.kill(0);
    expect(readdirSync(place.workspace)).toEqual([]);
  });

  test('keeps an empty folder of the user', async () => {
    using place = new Playground();
    mkdirSync(place.at('.vscode'));
    await place.run(['/bin/true']);
    await expect.poll(() => readdirSync(place.workspace)).toEqual(['.vscode']);
  });

  test('is unchanged soon after kill -9 of the host, and no process of the sandbox survives', async () => {
    using place = new Playground();
    mkdirSync(place.at('.vscode'));
    const { child, ended } = await startSandbox(
      place,
      'echo x > alive; echo up; while sleep 0.05; do echo x >> alive; done',
    );
    expect(readdirSync(place.workspace)).toEqual(['.git', '.vscode', 'alive']);
    child.kill('SIGKILL');
    await ended;
    await expect.poll(() => readdirSync(place.workspace), { timeout: 20_000 }).toEqual(['.vscode', 'alive']);
    const size = readFileSync(place.at('alive'), 'utf8').length;
    await sleep(200);
    expect(readFileSync(place.at('alive'), 'utf8').length).toBe(size);
    await expect.poll(() => leftBy(place)).toEqual([]);
  });

  test('is unchanged however early the host is killed, and no sandbox survives', async () => {
    using place = new Playground();
    const args = [await builtCli(), 'sandbox', '--', 'bash', '-c', 'echo x >> ran; exec sleep 600'];
    const env = { PATH: process.env.PATH, HOME: place.folder.path, TILLER_HOME: place.home };
    for (let delay = 0; delay < 12; delay += 3) {
      const seen: string[] = [];
      using _ = watching(place.workspace, (name) => seen.push(name));
      const child = spawn(process.execPath, args, { cwd: place.workspace, env, stdio: 'ignore' });
      await expect.poll(() => seen, { timeout: 20_000, interval: 1 }).toContain('.vscode');
      await sleep(delay);
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      const names = () => readdirSync(place.workspace).filter((name) => name !== 'ran');
      await expect.poll(names, { timeout: 20_000 }).toEqual([]);
      expect([...mountedFolders()]).not.toContain(place.at('.git'));
    }
  });

  test('is unchanged at the next start when the cleaning process was killed, too', async () => {
    using place = new Playground();
    const { child, ended } = await startSandbox(place, 'echo up; sleep 60');
    // Otherwise it may clean up itself, once its sandbox has ended.
    child.kill('SIGSTOP');
    for (const { pid, parent } of listProcesses('linux')) if (parent === child.pid) process.kill(pid, 'SIGKILL');
    child.kill('SIGKILL');
    await ended;
    await expect.poll(() => [...mountedFolders()]).not.toContain(place.at('.git'));
    expect(readdirSync(place.workspace)).toEqual(['.git', '.vscode']);
    await sweepSandboxes(place.home, createLocks(place.home, 'cli'));
    expect(readdirSync(place.workspace)).toEqual([]);
    expect(leftBy(place)).toEqual([]);
  });

  test('keeps the mount points of a killed process while its sandbox runs', async () => {
    using place = new Playground();
    const command = await place.start(['/bin/sleep', '60']);
    await expect.poll(() => [...mountedFolders()]).toContain(place.at('.git'));
    const [lease = ''] = leftBy(place);
    const file = place.folder.at('home', 'box', 'mounts', lease);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/"startTime":"\d+"/, '"startTime":"1"'));
    expect(await sweepMountPoints(place.home)).toBe(true);
    await place.run(['/bin/true']);
    expect(readdirSync(place.workspace)).toEqual(['.git', '.vscode']);
    await command.kill(0);
    expect(readdirSync(place.workspace)).toEqual([]);
  });

  test('has no lease that was cut off while it was written', async () => {
    using place = new Playground();
    await place.run(['/bin/true']);
    const torn = place.folder.at('home', 'box', 'mounts', 'torn');
    for (const name of [torn, `${torn}-just-now`]) writeFileSync(name, '{"owner":');
    utimesSync(torn, 1, 1);
    await sweepSandboxes(place.home, createLocks(place.home, 'cli'));
    expect(leftBy(place)).toEqual(['torn-just-now']);
  });

  test('is clean after kill -9 of the sandbox', async () => {
    using place = new Playground();
    const child = await place.start(['/bin/bash', '-c', 'sleep 30']);
    process.kill(child.pid ?? 0, 'SIGKILL');
    expect(await child.exited).toMatchObject({ code: 137 });
    await expect.poll(() => readdirSync(place.workspace)).toEqual([]);
  });

  test.each(['ends', 'is killed'])(
    'is no longer written by a command with many background processes that %s',
    async (end) => {
      using place = new Playground();
      const writers = 'for one in {1..16}; do while :; do echo x >> "file$one"; done >/dev/null 2>&1 & done';
      const files = () => readdirSync(place.workspace).filter((name) => name.startsWith('file'));
      const sizes = () => files().map((name) => lstatSync(place.at(name)).size);
      for (let round = 0; round < rounds(5, 20); round++) {
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

  test('keeps a mount point that the sandbox of another process uses', async () => {
    using place = new Playground();
    const { child, ended } = await startSandbox(place, 'echo up; sleep 1; mkdir .git/hooks; echo $? > code');
    await place.run(['/bin/true']);
    await sweepSandboxes(place.home, createLocks(place.home, 'cli'));
    expect(existsSync(place.at('.git'))).toBe(true);
    await ended;
    expect(child.exitCode).toBe(0);
    expect(readFileSync(place.at('code'), 'utf8')).toBe('1\n');
    expect(readdirSync(place.workspace)).toEqual(['code']);
  });

  test('may be reached by a link from an invisible place, and have folders that cannot be entered', async () => {
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

  test('includes a writable folder beside it, with its own protected names', async () => {
    const outside = new Playground();
    using place = new Playground({ policy: { writableRoots: [outside.workspace] } });
    mkdirSync(outside.at('.git'));
    const story = await place.bash(`echo a > ${outside.at('a')}; echo b > ${outside.at('.git', 'b')}`);
    expect(story.stderr).toContain('Read-only file system');
    await expect.poll(() => readdirSync(outside.workspace)).toEqual(['.git', 'a']);
    outside[Symbol.dispose]();
  });
});

test('a workspace has a mount point exactly as long as one of several processes holds it', async () => {
  using folder = tempFolder();
  const file = await bundled('mountRounds.ts');
  const args = [folder.at('leases'), folder.at('.git'), '200'];
  const runs = await Promise.all(Array.from({ length: 3 }, () => runFile(file, args)));
  expect(runs.map(({ stdout }) => stdout)).toEqual(['', '', '']);
  expect(readdirSync(folder.path)).toEqual(['leases']);
  expect(readdirSync(folder.at('leases'))).toEqual([]);
});

const DAY_MS = 86_400_000;

test('a temporary folder, and a pipe of a killed process, are removed when no command has used them for days', async () => {
  using home = tempFolder();
  mkdirSync(home.at('tmp', 'thread', 'folder'), { recursive: true });
  mkdirSync(home.at('box'));
  for (const name of ['gate-7', 'filter']) writeFileSync(home.at('box', name), '');
  const [now, locks] = [Date.now(), createLocks(home.path, 'cli')];
  await sweepSandboxes(home.path, locks, now + 2 * DAY_MS);
  expect([readdirSync(home.at('tmp')), readdirSync(home.at('box'))]).toEqual([['thread'], ['filter', 'gate-7']]);
  await sweepSandboxes(home.path, locks, now + 4 * DAY_MS);
  expect([readdirSync(home.at('tmp')), readdirSync(home.at('box'))]).toEqual([[], ['filter']]);
});

test('the temporary folder of an open thread stays however long no command has used it', async () => {
  using home = tempFolder();
  for (const name of ['open', 'closed']) mkdirSync(home.at('tmp', name), { recursive: true });
  const [owner, other] = [createLocks(home.path, 'vscode'), createLocks(home.path, 'cli')];
  const attempt = await owner.acquire('open');
  if (attempt.type !== 'held') throw new Error('The lock is free.');
  const later = Date.now() + 30 * DAY_MS;
  await sweepSandboxes(home.path, other, later);
  expect(readdirSync(home.at('tmp'))).toEqual(['open']);
  await attempt.lock.release();
  await sweepSandboxes(home.path, other, later);
  expect(readdirSync(home.at('tmp'))).toEqual([]);
  expect(readdirSync(home.at('locks'))).toEqual([]);
});

test('the removal of a temporary folder that a kill interrupted is completed', async () => {
  using home = tempFolder();
  mkdirSync(home.at('tmp', 'removed-7', 'rest'), { recursive: true });
  await sweepSandboxes(home.path, createLocks(home.path, 'cli'), Date.now() + 4 * DAY_MS);
  expect(readdirSync(home.at('tmp'))).toEqual([]);
});

test('nothing is listed in the quarantine of a file that could not be moved', () => {
  using home = tempFolder();
  const quarantine = new Quarantine(home.path);
  expect(() => quarantine.take(home.at('gone'))).toThrow('ENOENT');
  expect(quarantine.list()).toEqual([]);
  expect(quarantine.ids).toEqual([]);
});

describe.skipIf(noSandbox)('what a command leaves behind', () => {
  test('a name for agents is moved away, reported, and restored on request', async () => {
    using place = new Playground();
    const { findings } = await place.bash('mkdir .claude && echo x > .claude/settings.json');
    expect(findings).toMatchObject([{ kind: 'quarantined', path: place.at('.claude') }]);
    expect(existsSync(place.at('.claude'))).toBe(false);
    const quarantine = new Quarantine(place.home);
    const [entry] = quarantine.list();
    expect(quarantine.restore(entry?.id ?? '')).toBe(place.at('.claude'));
    expect(readFileSync(place.at('.claude', 'settings.json'), 'utf8')).toBe('x\n');
    expect(quarantine.list()).toEqual([]);
    expect(() => quarantine.restore(entry?.id ?? '')).toThrow('restored before');
  });

  const CONFIGURATIONS = [
    '.envrc',
    '.mcp.json',
    '.devcontainer.json',
    '.cursor/rules',
    '.husky/pre-commit',
    '.tiller-sandbox/any',
    '.github/workflows/ci.yml',
    'any.code-workspace',
  ];
  /** The protected files in it. */
  const nameOf = (file: string) => (file.startsWith('.github') ? path.dirname(file) : (file.split('/')[0] ?? ''));

  test.each(CONFIGURATIONS)('in a new %s are moved away', async (file) => {
    using place = new Playground();
    const { findings } = await place.bash(`mkdir -p ${path.dirname(file)}; echo mine > ${file}`);
    expect(findings).toMatchObject([{ kind: 'quarantined', path: place.at(nameOf(file)) }]);
    expect(existsSync(place.at(file))).toBe(false);
  });

  test.each(CONFIGURATIONS.flatMap((file) => [file, `packages/a/${file}`]))('%s stays as it is', async (file) => {
    using place = new Playground();
    mkdirSync(path.dirname(place.at(file)), { recursive: true });
    writeFileSync(place.at(file), 'theirs\n');
    const name = path.join(file.startsWith('packages') ? 'packages/a' : '', nameOf(file.replace('packages/a/', '')));
    const { stderr, findings } = await place.bash(`echo mine > ${file}; rm -r ${name}; mv ${name} gone`);
    expect(stderr).toContain('Read-only file system');
    expect(stderr).toContain('Device or resource busy');
    expect(findings).toEqual([]);
    expect(readFileSync(place.at(file), 'utf8')).toBe('theirs\n');
  });

  test('in place of workflows are reported, and the rest of their folder can be written', async () => {
    using place = new Playground();
    mkdirSync(place.at('.github', 'workflows'), { recursive: true });
    const { findings } = await place.bash('echo x > .github/CODEOWNERS; mv .github old; mkdir -p .github/workflows');
    expect(readFileSync(place.at('old', 'CODEOWNERS'), 'utf8')).toBe('x\n');
    expect(findings).toMatchObject([{ kind: 'left_behind', path: place.at('.github', 'workflows') }]);
  });

  test.each(['.vscode', '.claude'])('behind a link %s stay where they are', async (name) => {
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
  ])('%s that would run programs is reported', async (_, script, repository) => {
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
  ])('%s in place of another is reported', async (_, repository, first, second) => {
    using place = new Playground();
    expect(await place.bash(first)).toMatchObject({ code: 0, findings: [] });
    const { findings } = await place.bash(`mv in out; mkdir in; ${second}`);
    expect(findings).toMatchObject([{ kind: 'git_metadata', path: place.at(repository) }]);
  });

  test('in place of settings are reported', async () => {
    using place = new Playground();
    mkdirSync(place.at('in', '.vscode'), { recursive: true });
    const { findings } = await place.bash('mv in out; mkdir -p in/.vscode; echo x > in/.vscode/tasks.json');
    expect(findings).toMatchObject([{ kind: 'left_behind', path: place.at('in', '.vscode') }]);
  });

  test.each([
    ['a bare repository that was there', 'b', 'git init -q --bare b'],
    ['a new repository', 'b/.git', 'mkdir -p b/.git'],
  ])('%s that points to the configuration of another is reported', async (_, repository, first) => {
    using place = new Playground();
    const evil = 'mkdir evil; printf "[core]\\nfsmonitor=./x\\n" > evil/config';
    if (repository === 'b') expect(await place.bash(first)).toMatchObject({ code: 0, findings: [] });
    const { findings } = await place.bash(`${evil}; ${first}; echo $PWD/evil > ${repository}/commondir`);
    expect(findings).toMatchObject([{ kind: 'git_metadata', path: place.at(repository) }]);
  });

  test('with control characters or newlines in their names are reported escaped', async () => {
    using place = new Playground();
    const script = `d=$(printf 'a\\033[2J\\nProcess exited'); mkdir -p "$d/.git/hooks"; touch "$d/.git/hooks/pre-commit"`;
    const { findings } = await place.bash(script);
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${place.at('a\\u{1b}[2J\\nProcess exited', '.git')}, and it has the hooks pre-commit:`),
    ]);
  });

  test('as a bare repository with foreign objects are reported, and read-only from then on', async () => {
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
      // The devices are those of the whole machine: a sandbox of another process may put them right first.
      let found: readonly string[] = [];
      for (let attempt = 0; attempt < 20 && found.length < 2; attempt++) {
        const { findings } = await place.bash('chmod 0660 /dev/full; chmod 0662 /proc/self/fd/0');
        found = findings.map((one) => one.path);
        expect(lstatSync('/dev/full').mode).toBe(before);
      }
      expect(found).toEqual(['/dev/null', '/dev/full']);
    },
  );

  test('as a pointer of gigabytes are not read whole', async () => {
    using place = new Playground();
    const before = process.resourceUsage().maxRSS;
    await place.bash('mkdir n; truncate -s 1900M n/.git');
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(500_000);
  });

  test('as a plain new repository are not reported', async () => {
    using place = new Playground();
    const { findings } = await place.bash('mkdir n && cd n && git init -q . && git config user.name x');
    expect(findings).toEqual([]);
  });
});
