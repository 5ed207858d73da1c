/** The program of the setting `notify` (docs/threads.md, "Notifications"). */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SecretRedactor } from '../../src/core/util/secretRedactor.ts';
import { NotifyProgram } from '../../src/node/process/notifyProgram.ts';
import { DEFAULT_ENVIRONMENT } from '../../src/protocol/settings.ts';
import { calls, fails, ModelServer, says } from '../support/modelServer.ts';
import { runCli } from '../support/runCli.ts';
import { startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';

type Script = Parameters<typeof ModelServer.start>[0];

const PROMPT = 'Say "hi" – and nothing else.';

/** One `tiller exec`; `notify` writes its arguments, folder and environment, NUL between them, to a file. */
async function exec(script: Script, { argv, prompt = PROMPT }: { argv?: readonly string[]; prompt?: string } = {}) {
  const folder = tempFolder();
  await using server = await ModelServer.start(script);
  mkdirSync(folder.at('tiller'));
  mkdirSync(folder.at('work'));
  const program = folder.at('notify.sh');
  writeFileSync(
    program,
    '#!/bin/sh\n{ printf "%s\\0" "$PWD" "$@"; env -0; } > "$(dirname "$0")/part"; mv "$(dirname "$0")/part" "$(dirname "$0")/told"\n',
  );
  chmodSync(program, 0o755);
  const settings = { notify: argv ?? [program, 'two words'], model: 'm', baseUrl: server.baseUrl };
  writeFileSync(folder.at('tiller/settings.json'), JSON.stringify(settings));
  const environment = { MY_API_KEY: 'sk-secret-of-the-shell', DISPLAY: ':7' };
  const words = ['exec', '--json', '--cd', folder.at('work'), '-c', 'retry.maxAttempts=1', prompt];
  const run = await runCli(words, { home: folder.path, env: environment });
  return { folder, run, told: folder.at('told') };
}

function readTold(file: string) {
  const [cwd, first, argument, ...environment] = readFileSync(file, 'utf8').split('\0');
  return { cwd, first, notification: JSON.parse(argument ?? ''), environment };
}

describe('a turn that completes', () => {
  it('is passed to the program as its last argument, in the folder of the thread and without secrets', async () => {
    const { folder, run, told } = await exec([[says('hi')]]);
    using _ = folder;
    await expect.poll(() => existsSync(told)).toBe(true);
    const events = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { cwd, first, notification, environment } = readTold(told);
    expect({ cwd, first }).toEqual({ cwd: folder.at('work'), first: 'two words' });
    expect(notification).toEqual({
      type: 'agent-turn-complete',
      'thread-id': events[0].threadId,
      'turn-id': events.find(({ msg }) => msg.type === 'turn_completed').turnId,
      cwd: folder.at('work'),
      'input-messages': [PROMPT],
      'last-assistant-message': 'hi',
    });
    expect(environment).toContain('DISPLAY=:7');
    expect(environment.join('\n')).not.toContain('sk-secret-of-the-shell');
  });

  it('is passed shortened when its message is longer than an argument may be', async () => {
    const { folder, told } = await exec([[says('é'.repeat(300_000))]]);
    using _ = folder;
    await expect.poll(() => existsSync(told)).toBe(true);
    const { notification } = readTold(told);
    expect(notification['input-messages']).toEqual([PROMPT]);
    expect(notification['last-assistant-message']).toMatch(/^é{10000,}…$/);
  });
});

describe('a request of a thread', () => {
  it('is passed to the program while the user does not see it', async () => {
    using folder = tempFolder();
    const model = [
      [calls('exec_command', { cmd: 'touch b' })],
      [calls('exec_command', { cmd: 'touch c' })],
      [says('Done.')],
    ];
    await using chat = await startScenario({ model });
    let isSeen = false;
    const write = 'printf "%s\\n" "$1" >> "$0"';
    const program = new NotifyProgram({
      settings: () => ({ notify: ['/bin/sh', '-c', write, folder.at('told')], environment: DEFAULT_ENVIRONMENT }),
      environment: process.env,
      redactor: new SecretRedactor(),
      tellsRequests: () => !isSeen,
      warn: (reason) => expect.fail(reason),
    });
    const told = () =>
      existsSync(folder.at('told')) ? readFileSync(folder.at('told'), 'utf8').trim().split('\n') : [];
    const listening = chat.service.live.onEvent((update) => void program.take(update));
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await expect.poll(told).toHaveLength(1);
    expect(JSON.parse(told()[0] ?? '')).toEqual({
      type: 'approval-requested',
      'thread-id': chat.session.threadId,
      cwd: chat.folder.path,
      message: 'touch b',
    });
    isSeen = true;
    const asked = chat.next('approval_requested');
    await chat.answer('approved');
    await asked;
    await chat.answer('approved');
    await ended;
    await expect.poll(told).toHaveLength(2);
    expect(JSON.parse(told()[1] ?? '')).toMatchObject({ type: 'agent-turn-complete' });
    listening.dispose();
  });
});

describe('no program is started', () => {
  it('for a turn that fails', async () => {
    const { folder, run, told } = await exec([[fails(400, 'no')]]);
    using _ = folder;
    expect(run.code).toBe(1);
    expect(existsSync(told)).toBe(false);
  });
});

describe('a program that cannot be started', () => {
  it('is reported once, and does not fail the turn', async () => {
    const script: Script = [[calls('exec_command', { cmd: 'true' })], [says('hi')]];
    const { folder, run } = await exec(script, { argv: ['/no/such/program'] });
    using _ = folder;
    expect(run.code).toBe(0);
    expect(run.stderr).toBe(
      'the program of the setting "notify" was not started: The program /no/such/program was not found.\n',
    );
  });

  it('must have a name', async () => {
    const { folder, run } = await exec([], { argv: [''] });
    using _ = folder;
    expect({ code: run.code, stderr: run.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('setting "notify": must begin with a program'),
    });
  });
});
