/** A TILLER_HOME that cannot be used is reported in one sentence with its path and the reason. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../../src/node/host/ownPrograms.ts';
import { makePrivateFolder, makePrivateFolderSync } from '../../src/node/host/privateFiles.ts';
import { builtCli, runCli } from '../support/runCli.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

const PATCH = '*** Begin Patch\n*** Add File: new.txt\n+text\n*** End Patch';
const JOBS: readonly (readonly [string, readonly string[], number])[] = [
  ['exec', ['exec', '--demo', '--sandbox', 'danger-full-access', 'go'], 1],
  ['apply-patch', ['apply-patch', PATCH], 1],
];

function sentence(home: string, why: string): string {
  return `tiller: Tiller cannot keep its files in ${home} (TILLER_HOME). ${why}\n`;
}

describe.each(JOBS)('tiller %s', (_name, args, code) => {
  it.skipIf(process.platform !== 'linux').each([
    ['/proc/nope', 'The folder /proc/nope cannot be made: the system makes no folder in /proc.'],
    ['/proc/nope/tiller', 'The folder /proc/nope cannot be made: the system makes no folder in /proc.'],
  ])('with TILLER_HOME=%s ends', async (home, why) => {
    using folder = tempFolder();
    const run = await runCli(args, { home: folder.path, env: { TILLER_HOME: home } });
    expect(run).toEqual({ code, stdout: '', stderr: sentence(home, why) });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('reports a file in place of TILLER_HOME, or above it', async () => {
    using folder = tempFolder();
    const file = folder.at('file');
    writeFileSync(file, '');
    const inPlace = await runCli(args, { home: folder.path, env: { TILLER_HOME: file } });
    const why = `The folder ${file} cannot be made: something else has this name.`;
    expect(inPlace).toEqual({ code, stdout: '', stderr: sentence(file, why) });
    const above = await runCli(args, { home: folder.path, env: { TILLER_HOME: `${file}/tiller` } });
    const whyAbove = `The folder ${file}/tiller cannot be made: a part of its path is not a folder.`;
    expect(above).toEqual({ code, stdout: '', stderr: sentence(`${file}/tiller`, whyAbove) });
  });

  it.skipIf(findBubblewrap() === undefined)('with TILLER_HOME on a read-only file system', async () => {
    using folder = tempFolder();
    mkdirSync(folder.at('ro/there'), { recursive: true });
    const there = await runReadOnly(args, folder, folder.at('ro/there'));
    const isReadOnly = `${folder.at('ro/there')} is on a read-only file system.`;
    expect(there).toEqual({ code, stdout: '', stderr: sentence(folder.at('ro/there'), isReadOnly) });
    const missing = await runReadOnly(args, folder, folder.at('ro/missing'));
    const why = `The folder ${folder.at('ro/missing')} cannot be made: it would be on a read-only file system.`;
    expect(missing).toEqual({ code, stdout: '', stderr: sentence(folder.at('ro/missing'), why) });
    expect(existsSync(folder.at('new.txt'))).toBe(false);
  });
});

it.skipIf(process.platform !== 'linux')(
  'tiller sandbox runs nothing then, and reports it as a missing sandbox',
  async () => {
    using folder = tempFolder();
    const run = await runCli(['sandbox', '--', 'touch', 'a'], {
      home: folder.path,
      env: { TILLER_HOME: '/proc/nope' },
    });
    expect([run.code, run.stdout, readdirSync(folder.path)]).toEqual([125, '', []]);
  },
);

/** `ro` in the folder is read-only, also for root. */
async function runReadOnly(args: readonly string[], folder: TempFolder, home: string) {
  const readOnly = folder.at('ro');
  const program = [process.execPath, await builtCli(), ...args];
  const limits = ['--dev-bind', '/', '/', '--ro-bind', readOnly, readOnly];
  const { status, stdout, stderr } = spawnSync(findBubblewrap() ?? '', [...limits, '--', ...program], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, HOME: folder.path, TILLER_HOME: home },
    input: '',
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

describe('a private folder', () => {
  it('is created with its parents, for its owner alone, also by several processes at once', async () => {
    using folder = tempFolder();
    // Some find the folder above missing that another one makes before they look again.
    for (let round = 0; round < 50; round++) {
      await Promise.all(Array.from({ length: 8 }, () => makePrivateFolder(folder.at(`${round}/b/c`))));
    }
    await makePrivateFolder(folder.at('a/b/c'));
    makePrivateFolderSync(folder.at('a/b/d/e'));
    makePrivateFolderSync(folder.at('a/b/d/e'));
    const modes = ['a', 'a/b', 'a/b/c', 'a/b/d/e'].map((name) => statSync(folder.at(name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o700, 0o700]);
  });

  it.skipIf(process.platform !== 'linux')('that the system does not create is an error with its path', async () => {
    const words = 'The folder /proc/nope cannot be made: the system makes no folder in /proc.';
    await expect(makePrivateFolder('/proc/nope/a/b')).rejects.toThrow(words);
    expect(() => makePrivateFolderSync('/proc/nope/a/b')).toThrow(words);
  });
});
