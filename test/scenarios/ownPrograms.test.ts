/**
 * A workspace that has a program of each name that Tiller starts, first on PATH, and the files that other tools read (issue
 * 7): Tiller itself starts none of them and opens none. Real processes; a command of the model finds its programs by PATH.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../../src/node/host/ownPrograms.ts';
import { calls, ModelServer, says, type Step } from '../support/modelServer.ts';
import { runCli } from '../support/runCli.ts';
import { tempFolder } from '../support/tempFolder.ts';

const PROGRAMS =
  'bash sh dash zsh git bwrap true env node npm npx ps id uname getconf tput stty ldconfig systemd-run sandbox-exec pkexec'.split(
    ' ',
  );
/** Opening one of these for reading blocks forever. */
const OBEYED_ELSEWHERE =
  '.envrc .env .npmrc .nvmrc .node-version .tool-versions .editorconfig .bashrc .bash_profile .profile .inputrc tsconfig.json jsconfig.json package.json .gitconfig .gitattributes .gitmodules'.split(
    ' ',
  );

const OUTSIDE = ['--sandbox', 'danger-full-access', '--approval-policy', 'never'];

function plant(folder: string): void {
  mkdirSync(path.join(folder, 'node_modules/.bin'), { recursive: true });
  for (const place of ['.', 'node_modules/.bin']) {
    for (const name of PROGRAMS) {
      const file = path.join(folder, place, name);
      writeFileSync(file, `#!/bin/sh\n: > ${folder}/started-${name}\n`);
      chmodSync(file, 0o755);
    }
  }
  for (const name of ['zod', 'node-pty', 'openai', 'undici', 'typescript-plugin-evil']) {
    mkdirSync(path.join(folder, 'node_modules', name), { recursive: true });
    const text = `require('fs').writeFileSync(${JSON.stringify(`${folder}/started-module-${name}`)}, '');`;
    writeFileSync(path.join(folder, 'node_modules', name, 'index.js'), text);
  }
  for (const name of OBEYED_ELSEWHERE) execFileSync('/usr/bin/mkfifo', [path.join(folder, name)]);
}

/** Runs a job in the workspace to its end; returns its output, and the programs of the workspace that were started. */
async function worked(steps: readonly (readonly Step[])[], ...flags: readonly string[]) {
  using folder = tempFolder();
  using home = tempFolder();
  plant(folder.path);
  await using server = await ModelServer.start([...steps, [says('Done.')]]);
  const bins = `.:${folder.path}:${folder.at('node_modules/.bin')}`;
  const env = { TILLER_API_KEY: 'none', PATH: `${bins}:${process.env['PATH'] ?? ''}`, INIT_CWD: folder.path };
  const args = ['exec', '--model', 'm', '--base-url', server.baseUrl, ...flags, '--cd', folder.path, 'go'];
  const { code, stderr } = await runCli(args, { home: home.path, cwd: folder.path, env });
  const started = readdirSync(folder.path).filter((name) => name.startsWith('started-'));
  return { code, stderr, started, made: existsSync(folder.at('made')), told: JSON.stringify(server.lastRequest.input) };
}

describe('a workspace with programs of the same names', () => {
  it.skipIf(findBubblewrap() === undefined)('starts none of them for a command in the sandbox', async () => {
    const run = await worked([
      [calls('exec_command', { cmd: ': > made; echo was here' })],
      [calls('exec_command', { cmd: 'echo on a terminal', tty: true })],
    ]);
    expect(run).toMatchObject({ code: 0, started: [], made: true });
    expect(run.told).toContain('was here');
    expect(run.told).toContain('on a terminal');
  });

  it('gets none of them started outside the sandbox, nor for a patch', async () => {
    const input = '*** Begin Patch\n*** Add File: made\n+one\n*** End Patch';
    const run = await worked(
      [
        [calls('exec_command', { cmd: 'echo was here' })],
        [calls('exec_command', { cmd: 'echo on a terminal', tty: true })],
        [calls('apply_patch', { input })],
      ],
      ...OUTSIDE,
    );
    expect(run).toMatchObject({ code: 0, started: [], made: true });
    expect(run.told).toContain('was here');
    expect(run.told).toContain('on a terminal');
  });

  it('would be detected: one that a command starts leaves its mark', async () => {
    const run = await worked([[calls('exec_command', { cmd: './git status' })]], ...OUTSIDE);
    expect(run.started).toEqual(['started-git']);
  });
});
