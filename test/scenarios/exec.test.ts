import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXEC_OPTIONS } from '../../src/cli/execArguments.ts';
import { remedyOf } from '../../src/cli/remedy.ts';
import { helpOf } from '../../src/cli/usage.ts';
import { type Event, eventSchema } from '../../src/protocol/event.ts';
import { calls, fails, hangs, ModelServer, says } from '../support/modelServer.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { isAlive, pidIn } from '../support/processes.ts';
import { builtCli, runCli, startCli } from '../support/runCli.ts';
import { tempFolder } from '../support/tempFolder.ts';

/** One pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);
const PATCH = '*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch';

/** Timeout for tests with other processes, on a busy machine. */
const PATIENT = { timeout: 20_000 };

function eventsOf(stdout: string): Event[] {
  expect(stdout.endsWith('\n')).toBe(true);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => eventSchema.parse(JSON.parse(line)));
}

describe('tiller exec', () => {
  it('does a job and prints only the last message', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([[calls('apply_patch', { input: PATCH })], [says('Made it.')]]);
    const run = await runCli(['exec', '--model', 'm', '--base-url', server.baseUrl, 'make new.txt'], {
      home: folder.path,
    });
    expect(run).toMatchObject({ code: 0, stdout: 'Made it.\n' });
    expect(run.stderr.trimEnd().split('\n').at(-1)).toMatch(/^thread [0-9a-f-]{36}$/);
    expect(readFileSync(folder.at('new.txt'), 'utf8')).toBe('hello\n');
  });

  it('prints only events with --json, numbered without gaps, with one end of the turn', async () => {
    using folder = tempFolder();
    mkdirSync(folder.at('work'));
    await using server = await ModelServer.start([[calls('exec_command', { cmd: 'pwd' })], [says('Here.')]]);
    const run = await runCli(
      ['exec', '--json', '--cd', folder.at('work'), '--model', 'm', '--base-url', server.baseUrl, '--', 'where?'],
      { home: folder.path },
    );
    const events = eventsOf(run.stdout);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events[0]?.msg).toMatchObject({
      type: 'thread_started',
      cwd: folder.at('work'),
      model: 'm',
      approvalPolicy: 'on-request',
      sandbox: 'workspace-write',
      box: noSandbox === false ? 'bubblewrap' : 'none',
    });
    expect(events.filter(({ msg }) => msg.type === 'turn_completed' || msg.type === 'turn_aborted')).toHaveLength(1);
    const command = events
      .map(({ msg }) => msg)
      .find((msg) => msg.type === 'item_completed' && msg.item.type === 'command_execution');
    expect(command).toMatchObject({ item: { output: `${folder.at('work')}\n`, exitCode: 0, status: 'completed' } });
    expect(run.code).toBe(0);
  });

  it.each(['chat', 'messages'] as const)('uses the API of --wire-api %s', async (wire) => {
    using folder = tempFolder();
    await using server = await ModelServer.start([[calls('apply_patch', { input: PATCH })], [says('Made it.')]], {
      wire,
    });
    const run = await runCli(['exec', '--model', 'm', '--base-url', server.baseUrl, '--wire-api', wire, 'go'], {
      home: folder.path,
    });
    expect(run).toMatchObject({ code: 0, stdout: 'Made it.\n' });
    expect(readFileSync(folder.at('new.txt'), 'utf8')).toBe('hello\n');
  });

  it('reads the prompt from stdin to its end', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([[says('Read.')]]);
    const run = await runCli(['exec', '--model', 'm', '--base-url', server.baseUrl, '-'], {
      home: folder.path,
      stdin: 'line one\nline two\n',
    });
    expect(run.code).toBe(0);
    expect(JSON.stringify(server.lastRequest.input)).toContain('line one\\nline two\\n');
  });

  it('denies what would need approval, and continues', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([[calls('exec_command', { cmd: 'touch x' })], [says('Then not.')]]);
    const flags = ['--approval-policy', 'untrusted', '--model', 'm', '--base-url', server.baseUrl];
    const run = await runCli(['exec', '--json', ...flags, 'go'], { home: folder.path });
    expect(run.code).toBe(0);
    expect(eventsOf(run.stdout).map(({ msg }) => msg)).toContainEqual(
      expect.objectContaining({
        type: 'approval_resolved',
        by: 'non_interactive',
        decision: { denied: { message: 'non_interactive' } },
      }),
    );
  });

  it.skipIf(noSandbox)('lets a reviewer of the settings approve what the sandbox confines', async () => {
    using folder = tempFolder();
    const verdict = { verdict: 'allow', reason: 'You have asked for it.' };
    await using server = await ModelServer.start([
      [calls('exec_command', { cmd: 'touch x' })],
      [says(JSON.stringify(verdict))],
      [says('Done.')],
    ]);
    const flags = ['--approval-policy', 'untrusted', '--model', 'm', '--base-url', server.baseUrl];
    const reviewer = ['-c', 'approvals.reviewer=model', '-c', 'approvals.reviewerModel=r'];
    const run = await runCli(['exec', '--json', ...flags, ...reviewer, 'make x'], { home: folder.path });
    expect(run.code).toBe(0);
    expect(server.requests.map(({ body }) => body['model'])).toEqual(['m', 'r', 'm']);
    expect(eventsOf(run.stdout).map(({ msg }) => msg)).toContainEqual(
      expect.objectContaining({ type: 'approval_resolved', by: 'reviewer', decision: 'approved' }),
    );
  });

  it('takes submissions as JSON lines, behind a byte order mark, approvals among them', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([[calls('exec_command', { cmd: 'touch x' })], [says('Done.')]]);
    const flags = ['--approval-policy', 'untrusted', '--model', 'm', '--base-url', server.baseUrl];
    const child = await startCli(['exec', '--json', '--input', 'jsonl', ...flags], { home: folder.path });
    child.stdin.write(
      `\uFEFF${JSON.stringify({ op: { type: 'user_turn', input: [{ type: 'text', text: 'go' }] } })}\n`,
    );
    await expect.poll(() => child.output.stdout, PATIENT).toContain('approval_requested');
    const asked = eventsOf(child.output.stdout).find(({ msg }) => msg.type === 'approval_requested');
    const approvalIds = asked?.msg.type === 'approval_requested' ? [asked.msg.approvalId] : [];
    child.stdin.write('not json\n');
    child.stdin.end(`${JSON.stringify({ id: 'yes', op: { type: 'approval', approvalIds, decision: 'approved' } })}\n`);
    const run = await child.ended;
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/^tiller: stdin line 2: /m);
    const resolved = eventsOf(run.stdout).find(({ msg }) => msg.type === 'approval_resolved');
    expect(resolved).toMatchObject({ submissionId: 'yes', msg: { by: 'user', decision: 'approved' } });
    expect(readFileSync(folder.at('x'), 'utf8')).toBe('');
  });

  it('answers a question of the model by an op, and leaves it to the model without a client', async () => {
    using folder = tempFolder();
    const options = ['Red', 'Blue'].map((label) => ({ label, description: label }));
    const questions = [{ id: 'colour', header: 'Colour', question: 'Which?', options }];
    const asking = [calls('request_user_input', { questions })];
    await using server = await ModelServer.start([asking, [says('Done.')], asking, [says('Done.')]]);
    const flags = ['--json', '--model', 'm', '--base-url', server.baseUrl];
    const child = await startCli(['exec', '--input', 'jsonl', ...flags], { home: folder.path });
    child.stdin.write(`${JSON.stringify({ op: { type: 'user_turn', input: [{ type: 'text', text: 'go' }] } })}\n`);
    await expect.poll(() => child.output.stdout, PATIENT).toContain('question_requested');
    const asked = eventsOf(child.output.stdout).flatMap(({ msg }) => (msg.type === 'question_requested' ? msg : []));
    const answer = {
      type: 'user_input_answer',
      questionId: asked[0]?.request.questionId,
      answers: { colour: ['Green'] },
    };
    child.stdin.end(`${JSON.stringify({ op: answer })}\n`);
    expect((await child.ended).code).toBe(0);
    const outputOf = () => server.lastRequest.input.flatMap(({ output }) => output ?? []);
    expect(outputOf()).toEqual(['{"answers":{"colour":{"answers":["Green"]}}}']);
    expect((await runCli(['exec', ...flags, 'go'], { home: folder.path })).code).toBe(0);
    expect(outputOf()).toEqual([expect.stringMatching(/^No user can answer in this run\. /)]);
  });

  it('sends no image and no mention of a file with secrets, by whatever name', async () => {
    using folder = tempFolder();
    const secret = 'abcdefgh12345';
    writeFileSync(folder.at('.env'), `API_KEY=${secret}\n`);
    writeFileSync(folder.at('key.pem'), PNG);
    const links = ['.env', 'key.pem'].flatMap((name) => {
      const [link, hard] = [`link-${name}.png`, `hard-${name}.png`].map((one) => one.replace('-.', '-'));
      symlinkSync(name, folder.at(link ?? ''));
      linkSync(folder.at(name), folder.at(hard ?? ''));
      return [link ?? '', hard ?? ''];
    });
    const names = ['.env', 'key.pem', ...links];
    await using server = await ModelServer.start([[says('None.')], [says('None.')]]);
    const flags = ['--json', '--model', 'm', '--base-url', server.baseUrl];
    const images = names.flatMap((name) => ['--image', name]);
    const shown = await runCli(['exec', ...flags, ...images, 'look'], { home: folder.path });
    const refused = (stdout: string) => eventsOf(stdout).filter(({ msg }) => msg.type === 'warning');
    expect([shown.code, refused(shown.stdout).length]).toEqual([0, names.length]);

    const spelled = [
      `${folder.path}/./.env`,
      'sub/../.env',
      `/proc/self/root${folder.path}/.env`,
      '/proc/self/cwd/.env',
    ];
    const mentions = [...names, ...spelled].flatMap((path) => [
      { type: 'mention', kind: 'file', name: 'a', path },
      { type: 'mention', kind: 'selection', name: 'a', path, lines: { first: 1, last: 1 }, text: `API_KEY=${secret}` },
    ]);
    const input = [...mentions, { type: 'mention', name: 'b', path: '.env' }, { type: 'local_image', path: 'key.pem' }];
    const stdin = `${JSON.stringify({ op: { type: 'user_turn', input } })}\n`;
    const sent = await runCli(['exec', '--input', 'jsonl', ...flags], { home: folder.path, stdin });
    expect([sent.code, refused(sent.stdout).length]).toEqual([0, mentions.length + 1]);
    const requests = JSON.stringify(server.requests);
    expect(requests).toContain('may not be read (sandbox.unreadable: **/.env)');
    expect(requests).toContain('[b](.env)');
    expect(requests).not.toContain(secret);
    expect(requests).not.toContain(PNG.toString('base64'));
  });

  it('exits 1 with the message of the failed turn, and says what helps', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([[fails(404, { message: 'no such model' })]]);
    const run = await runCli(['exec', '--json', '--model', 'm', '--base-url', server.baseUrl, 'go'], {
      home: folder.path,
    });
    const error = eventsOf(run.stdout)
      .map(({ msg }) => msg)
      .find((msg) => msg.type === 'error');
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(error?.type === 'error' ? error.message : 'no error event');
    expect(run.stderr).toContain(`tiller: Give --model a name that ${server.baseUrl}/models lists.\n`);
  });

  it.each([
    [
      'auth',
      'set_api_key',
      'https://api.openai.com/v1',
      'Set TILLER_API_KEY or OPENAI_API_KEY to a key of https://api.openai.com/v1.',
    ],
    [
      'no_key',
      'set_api_key',
      'https://me:hush@x.example/v1/?key=hush',
      'Set TILLER_API_KEY to a key of https://x.example/v1.',
    ],
    ['network', 'check_network', 'http://127.0.0.1:11434/v1', expect.stringContaining('is http://127.0.0.1:11434/v1:')],
    ['proxy', 'check_network', 'https://x.example/v1', expect.stringContaining('https_proxy')],
    ['quota', 'select_model', 'https://x.example/v1', undefined],
  ] as const)('names the remedy of an error of the kind %s', (kind, action, baseUrl, remedy) => {
    expect(remedyOf({ kind, action }, { baseUrl })).toEqual(remedy);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('stops on %s with a turn that says so', async (signal, code) => {
    using folder = tempFolder();
    await using server = await ModelServer.start([[says('Partial'), hangs()]]);
    const child = await startCli(['exec', '--json', '--model', 'm', '--base-url', server.baseUrl, 'go'], {
      home: folder.path,
    });
    child.stdin.end();
    await expect.poll(() => child.output.stdout, PATIENT).toContain('item_delta');
    child.kill(signal);
    const run = await child.ended;
    expect(run.code).toBe(code);
    expect(eventsOf(run.stdout).map(({ msg }) => msg)).toContainEqual({ type: 'turn_aborted', reason: 'interrupted' });
  });

  it('ignores an empty thread, and a folder in place of one of its files', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([[says('One.')], [says('Two.')]]);
    const flags = ['--model', 'm', '--base-url', server.baseUrl];
    await runCli(['exec', ...flags, 'hi'], { home: folder.path });
    const day = folder.at('tiller/threads/2099/01/01');
    mkdirSync(day, { recursive: true });
    writeFileSync(`${day}/rollout-2099-01-01T00-00-00-22222222-0000-4000-8000-000000000000.jsonl`, '');
    mkdirSync(folder.at('tiller/AGENTS.md'));
    const resumed = await runCli(['exec', ...flags, 'resume', '--last', 'and?'], { home: folder.path });
    expect(resumed).toMatchObject({ code: 0, stdout: 'Two.\n' });
    expect(JSON.stringify(server.lastRequest.input)).toContain('One.');

    mkdirSync(folder.at('tiller/settings.json'));
    expect(await runCli(['exec', ...flags, 'hi'], { home: folder.path })).toEqual({
      code: 2,
      stdout: '',
      stderr: `tiller: ${folder.at('tiller/settings.json')} is a directory.\n`,
    });
  });

  it('reports in one line why a thread cannot be resumed where nothing can be written', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([[says('One.')]]);
    const flags = ['--model', 'm', '--base-url', server.baseUrl];
    await runCli(['exec', ...flags, 'hi'], { home: folder.path });
    rmSync(folder.at('tiller/locks'), { recursive: true });
    writeFileSync(folder.at('tiller/locks'), '');
    const run = await runCli(['exec', ...flags, 'resume', '--last', 'and?'], { home: folder.path });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/^tiller: the thread cannot be kept from other processes: .+\n$/);
  });

  it('continues a thread by its id, and the last one', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([[says('One.')], [says('Two.')], [says('Three.')]]);
    const flags = ['--model', 'm', '--base-url', server.baseUrl];
    const first = await runCli(['exec', ...flags, 'remember tulips'], { home: folder.path });
    const id = /thread (\S+)/.exec(first.stderr)?.[1] ?? '';
    await runCli(['exec', ...flags, 'resume', id, 'what?'], { home: folder.path });
    const third = await runCli(['exec', ...flags, 'resume', '--last', 'and?'], { home: folder.path });
    expect(third.stderr).toContain(`thread ${id}`);
    const texts = JSON.stringify(server.lastRequest.input);
    for (const word of ['remember tulips', 'One.', 'what?', 'Two.', 'and?']) expect(texts).toContain(word);
  });

  it('continues in a copy of a thread, also of one that another process has open', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([[says('One.')], [says('Partial'), hangs()], [says('Two.')]]);
    const flags = ['--model', 'm', '--base-url', server.baseUrl];
    const first = await runCli(['exec', ...flags, 'remember tulips'], { home: folder.path });
    const id = /thread (\S+)/.exec(first.stderr)?.[1] ?? '';
    const open = await startCli(['exec', '--json', ...flags, 'resume', id, 'go on'], { home: folder.path });
    open.stdin.end();
    await expect.poll(() => open.output.stdout, { timeout: 10_000 }).toContain('item_delta');
    const refused = await runCli(['exec', ...flags, 'resume', id, 'and?'], { home: folder.path });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('open in another process (cli')]);
    const fork = await runCli(['exec', ...flags, 'fork', id, 'otherwise'], { home: folder.path });
    open.kill('SIGKILL');
    await open.ended;
    expect([fork.code, fork.stdout]).toEqual([0, 'Two.\n']);
    expect(fork.stderr).not.toContain(id);
    const texts = JSON.stringify(server.lastRequest.input);
    for (const word of ['remember tulips', 'One.', 'go on', 'otherwise']) expect(texts).toContain(word);
    expect(texts).not.toContain('Partial');
  });

  it('loses nothing that was written to kill -9, and runs nothing twice', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([
      [calls('exec_command', { cmd: 'echo ran >> log; sleep 30' })],
      [says('I see.')],
    ]);
    const flags = ['--model', 'm', '--base-url', server.baseUrl, '--sandbox', 'danger-full-access'];
    const child = await startCli(['exec', '--json', ...flags, 'go'], { home: folder.path });
    child.stdin.end();
    await expect.poll(() => child.output.stdout, PATIENT).toContain('item_started","item":{"id":"item_');
    await expect.poll(() => safeRead(folder.at('log')), PATIENT).toBe('ran\n');
    child.kill('SIGKILL');
    await child.ended;
    const run = await runCli(['exec', ...flags, 'resume', '--last', 'and?'], { home: folder.path });
    expect(run).toMatchObject({ code: 0, stdout: 'I see.\n' });
    expect(readFileSync(folder.at('log'), 'utf8')).toBe('ran\n');
    expect(JSON.stringify(server.lastRequest.input)).toContain('"output":"aborted"');
  });
});

describe('a host that is killed', () => {
  it.each([
    ['children of their own session', 'setsid sh -c "echo \\$\\$ > pid; exec sleep 60" & sleep 60', ''],
    ['without its environment, once its number is known', 'echo $$ > pid; exec env -i sleep 60', '"leader"'],
  ])('leaves a command running that the next one ends, however soon it was killed: %s', async (_, cmd, recorded) => {
    using folder = tempFolder();
    await using server = await ModelServer.start([
      [calls('exec_command', { cmd, yield_time_ms: 250 }), hangs()],
      [says('I see.')],
    ]);
    const flags = ['--model', 'm', '--base-url', server.baseUrl, '--sandbox', 'danger-full-access'];
    const child = await startCli(['exec', '--json', ...flags, 'go'], { home: folder.path });
    child.stdin.end();
    const pid = await pidIn(folder.at('pid'));
    const processes = folder.at('tiller', 'processes');
    const records = () => readdirSync(processes).map((name) => readFileSync(join(processes, name), 'utf8'));
    await expect.poll(records, PATIENT).toEqual([expect.stringContaining(recorded)]);
    child.kill('SIGKILL');
    await child.ended;
    expect(isAlive(pid)).toBe(true);
    // An earlier process was killed while it wrote; another one writes at this moment.
    for (const name of ['torn.json', 'begun.json']) writeFileSync(join(processes, name), '{"owner":');
    utimesSync(join(processes, 'torn.json'), 0, 0);
    expect((await runCli(['exec', ...flags, 'what now?'], { home: folder.path })).code).toBe(0);
    expect(isAlive(pid)).toBe(false);
    expect(readdirSync(processes)).toEqual(['begun.json']);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('politely, by %s, ends what it has started', async (signal, code) => {
    using folder = tempFolder();
    await using server = await ModelServer.start([
      [calls('exec_command', { cmd: 'echo $$ > pid; sleep 60', yield_time_ms: 250 })],
      [says('Partial'), hangs()],
    ]);
    const flags = ['--model', 'm', '--base-url', server.baseUrl, '--sandbox', 'danger-full-access'];
    const child = await startCli(['exec', '--json', ...flags, 'go'], { home: folder.path });
    child.stdin.end();
    const pid = await pidIn(folder.at('pid'));
    await expect.poll(() => child.output.stdout, PATIENT).toContain('"kind":"text"');
    child.kill(signal);
    const run = await child.ended;
    expect([run.code, isAlive(pid)]).toEqual([code, false]);
    expect(eventsOf(run.stdout).map(({ msg }) => msg.type)).toContain('process_exited');
  });

  it('reports a missing terminal package in the output of the call', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([[calls('exec_command', { cmd: 'true', tty: true })], [says('No.')]]);
    const flags = ['--model', 'm', '--base-url', server.baseUrl, '--sandbox', 'danger-full-access'];
    await runCli(['exec', ...flags, 'go'], { home: folder.path });
    expect(JSON.stringify(server.lastRequest.input)).toContain('There is no terminal here: the optional package');
  });
});

describe('a client that keeps stdin open', () => {
  it('does not keep a job from ending on SIGINT', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([[says('Partial'), hangs()]]);
    const child = await startCli(
      ['exec', '--json', '--input', 'jsonl', '--model', 'm', '--base-url', server.baseUrl, 'go'],
      {
        home: folder.path,
      },
    );
    await expect.poll(() => child.output.stdout, PATIENT).toContain('item_delta');
    child.kill('SIGINT');
    const run = await child.ended;
    expect(run.code).toBe(130);
    expect(eventsOf(run.stdout).map(({ msg }) => msg)).toContainEqual({ type: 'turn_aborted', reason: 'interrupted' });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends a command that waits for its input on %s with %i', async (signal, code) => {
    using folder = tempFolder();
    const child = await startCli(['apply-patch'], { home: folder.path });
    // More than a pipe holds: it is reading.
    await new Promise((resolve) => child.stdin.write('x'.repeat(1_000_000), resolve));
    child.kill(signal);
    expect(await child.ended).toEqual({ code, stdout: '', stderr: '' });
  });

  it('ends on SIGINT although its reader has stopped reading', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([[says('x'.repeat(3_000_000)), hangs()]]);
    const job = ['exec', '--json', '--model', 'm', '--base-url', server.baseUrl, 'go'];
    const child = spawn(process.execPath, [await builtCli(), ...job], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, HOME: folder.path, TILLER_HOME: folder.at('tiller') },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    // Filled by the answer, and not read.
    await expect
      .poll(() => child.stdout.readableLength, PATIENT)
      .toBeGreaterThanOrEqual(child.stdout.readableHighWaterMark);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([130, null]);
    child.stdout.destroy();
  });

  it.skipIf(process.platform !== 'linux')('ends with 1 and says why when stdout cannot be written', async () => {
    const full = openSync('/dev/full', 'w');
    try {
      const { status, stderr } = spawnSync(process.execPath, [await builtCli(), '--help'], {
        stdio: ['ignore', full, 'pipe'],
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([1, 'tiller: stdout cannot be written: the disk is full.\n']);
    } finally {
      closeSync(full);
    }
  });

  it('ends the job with the op shutdown', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([]);
    const child = await startCli(['exec', '--json', '--input', 'jsonl', '--model', 'm', '--base-url', server.baseUrl], {
      home: folder.path,
    });
    child.stdin.write(
      '{"op":{"type":"shutdown"}}\n{"op":{"type":"user_turn","input":[{"type":"text","text":"late"}]}}\n',
    );
    const run = await child.ended;
    expect(run.code).toBe(0);
    expect(eventsOf(run.stdout).at(-1)?.msg).toEqual({ type: 'thread_closed' });
  });
});

describe('a thread that cannot be written', () => {
  it('fails the job with a message and exit 1', async () => {
    using folder = tempFolder();
    mkdirSync(folder.at('tiller'));
    writeFileSync(folder.at('tiller', 'threads'), 'in the way');
    await using server = await ModelServer.start([]);
    const run = await runCli(['exec', '--json', '--model', 'm', '--base-url', server.baseUrl, 'go'], {
      home: folder.path,
    });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('The thread could not be written to disk.');
    expect(eventsOf(run.stdout).map(({ msg }) => msg)).toContainEqual({ type: 'turn_aborted', reason: 'failed' });
  });
});

describe('usage', () => {
  it.each([
    [['exec', 'hi'], 'no model is configured: give --model with --provider or --base-url, or --demo'],
    [['exec', '--nonsense', 'hi'], "'--nonsense'\n"],
    [['exec', '--demo', '--approval-policy', 'sometimes', 'hi'], 'approvalPolicy'],
    [['exec', '--demo', '--sandbox', 'tight', 'hi'], 'sandbox.mode'],
    [['exec', '--demo', '--cd', '/nowhere', 'hi'], '/nowhere'],
    [['exec', '--demo', '--image', '/nowhere.png', 'hi'], '/nowhere.png'],
    [['exec', '--demo', '--output-schema', '/nowhere.json', 'hi'], '/nowhere.json'],
    [['exec', '--demo', '-c', 'nonsense=1', 'hi'], 'nonsense'],
    [['exec', '--demo', '-c', 'maxToolRounds=many', 'hi'], 'maxToolRounds'],
    [['exec', '--demo', '--input', 'xml'], 'xml'],
    [['exec', '--demo', '--input', 'jsonl', '-'], 'stdin'],
    [['exec', '--demo', 'resume'], 'resume'],
    [['exec', '--demo', 'resume', 'no-such-id', 'hi'], 'no-such-id'],
    [['exec', '--demo', 'fork'], 'fork which thread'],
    [['exec', '--demo', 'fork', '--last', 'hi'], 'there is no thread yet'],
    [['exec', '--demo', '--last', 'hi'], '--last'],
    [['exec', '--demo', 'two', 'prompts'], 'one prompt'],
    [['exec', '--demo', '-'], 'empty'],
    [['exec', '--provider', 'nobody', '--model', 'm', 'hi'], '"nobody"; known are openai, anthropic, '],
    [['exec', '--base-url', 'ftp://x', '--model', 'm', 'hi'], 'baseUrl'],
    [['demo-model', '--port', 'x'], '--port'],
    [['sandbox', 'true'], 'after --'],
    [['sandbox', '--'], 'no command'],
    [['sandbox', '--mode', 'danger-full-access', '--', 'true'], '--mode'],
    [['sandbox', '--writable', '/no/such', '--', 'true'], '--writable'],
    [['nonsense'], 'nonsense'],
  ])('%j is a mistake', async (args, word) => {
    using folder = tempFolder();
    const run = await runCli(args, { home: folder.path });
    expect(run.code).toBe(2);
    expect(run.stdout).toBe('');
    expect(run.stderr).toMatch(/^tiller: .*\n$/);
    expect(run.stderr).toContain(word);
  });

  it('prints the help as an error if no command is named', async () => {
    using folder = tempFolder();
    const { code, stdout, stderr } = await runCli([], { home: folder.path });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^tiller: a coding agent/);
  });

  it.each([
    [['--help'], /^tiller: a coding agent/],
    [['exec', '--help'], /^tiller exec \[OPTIONS\]/],
    [['apply-patch', '--help'], /^tiller apply-patch/],
    [['constructor', '--help'], /^tiller: a coding agent/],
    [['--version'], /^\d+\.\d+\.\d+\n$/],
    [['apply-patch', '--version'], /^\d+\.\d+\.\d+\n$/],
  ])('%j exits 0', async (args, printed) => {
    using folder = tempFolder();
    const { code, stdout } = await runCli(args, { home: folder.path });
    expect(stdout).toMatch(printed);
    expect(code).toBe(0);
  });

  it('has a help that names each option', () => {
    const help = helpOf('exec');
    expect(Object.keys(EXEC_OPTIONS).filter((option) => !help.includes(`--${option} `))).toEqual([]);
  });

  it('takes settings from settings.json, the environment and -c; a flag takes precedence', async () => {
    using folder = tempFolder();
    mkdirSync(folder.at('tiller'));
    await using server = await ModelServer.start(() => [says('Hello.')]);
    const settings = { model: 'from-file', baseUrl: server.baseUrl, unknownKey: 1 };
    writeFileSync(folder.at('tiller', 'settings.json'), `\uFEFF// mine\n${JSON.stringify(settings)}`);
    const asked = async (args: string[], env = {}) => {
      await runCli(['exec', ...args, 'hi'], { home: folder.path, env });
      return server.lastRequest.body.model;
    };
    expect(await asked([])).toBe('from-file');
    expect(await asked([], { TILLER_MODEL: 'from-env' })).toBe('from-env');
    expect(await asked(['-c', 'model=from-c'], { TILLER_MODEL: 'from-env' })).toBe('from-c');
    expect(await asked(['-c', 'model=from-c', '--model', 'from-flag'])).toBe('from-flag');
    writeFileSync(folder.at('tiller', 'settings.json'), '{\n  "model": "a"\n  "baseUrl": "b"\n}');
    expect(await runCli(['exec', 'hi'], { home: folder.path })).toMatchObject({
      code: 2,
      stderr: `tiller: ${folder.at('tiller', 'settings.json')}:3: not valid JSON (CommaExpected)\n`,
    });
  });
});

function safeRead(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
