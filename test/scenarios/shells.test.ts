/** Start files of the shells of users: no command hangs, and its output arrives. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_ENVIRONMENT } from '../../src/protocol/settings.ts';
import { calls, says } from '../support/modelServer.ts';
import { startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';

/** Read by a login shell; fish always reads its file. */
const START_FILES: Readonly<Record<string, string>> = {
  bash: '.bash_profile',
  zsh: '.zprofile',
  dash: '.profile',
  fish: '.config/fish/config.fish',
};

/** The result of a command in this shell with this start file. */
async function ran(shell: string, startFile: string, more: object): Promise<string> {
  using home = tempFolder();
  const file = home.at(START_FILES[shell] ?? '');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, startFile);
  await using chat = await startScenario({
    sandbox: 'danger-full-access',
    environment: { ...DEFAULT_ENVIRONMENT, exclude: ['XDG_*', 'ZDOTDIR'], set: { HOME: home.path } },
    model: [
      [calls('exec_command', { cmd: 'echo out', shell, ...more })],
      ({ input }) => {
        const session = /session ID (\d+)/.exec(String(input.at(-1)?.output))?.[1];
        if (session === undefined) return [says('Done.')];
        return [calls('write_stdin', { session_id: Number(session), yield_time_ms: 20_000 })];
      },
      [says('Done.')],
    ],
  });
  await chat.send('go');
  return chat.outputs().join('\n');
}

describe.each(Object.keys(START_FILES))('%s', (shell) => {
  const program = ['/bin', '/usr/bin'].map((folder) => path.join(folder, shell)).find((file) => existsSync(file));
  const isMissing = program === undefined;
  if (isMissing) console.warn(`Left out: ${shell} is not installed here.`);

  it.skipIf(isMissing)('runs a command and returns its output', async () => {
    expect(await ran(shell, '', {})).toMatch(/Process exited with code 0\n.*\nOutput:\nout\n$/s);
  });

  it.skipIf(isMissing)('continues in the background with a slow start file, and loses no output', async () => {
    const answer = await ran(shell, 'sleep 1\n', { login: true, yield_time_ms: 250 });
    expect(answer).toMatch(/Process running with session ID \d+\n.*Process exited with code 0\n.*\nOutput:\nout\n$/s);
  });

  it.skipIf(isMissing)('runs it with a broken start file', async () => {
    const answer = await ran(shell, 'echo noise\nno-such-program-anywhere --start\n', { login: true });
    expect(answer).toContain('Process exited with code 0');
    for (const words of ['\nnoise\n', 'no-such-program-anywhere', '\nout\n']) expect(answer).toContain(words);
  });
});

describe.each(['bash', 'dash'])('%s without login', (shell) => {
  it('does not read start files', async () => {
    expect(await ran(shell, 'sleep 600\n', { yield_time_ms: 9_000 })).toContain('Process exited with code 0');
  });
});
