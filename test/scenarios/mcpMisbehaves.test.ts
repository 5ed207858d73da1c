/** MCP servers that end, flood, lie, or are silent. */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DEATHS, mcpScenario, scripted, statusOf } from '../support/mcpServers.ts';
import { calls, says } from '../support/modelServer.ts';
import { noSandbox } from '../support/sandboxed.ts';

const LONG = 60_000;

/** With the sandbox, its program ends with the code of a killed process. */
const KILLED = /It (was ended by SIGKILL|ended with exit code 137)\./;

describe.skipIf(noSandbox)('an MCP server that misbehaves', { timeout: LONG }, () => {
  test('is killed in a call: the turn goes on, and the server is started again', async () => {
    await using made = await mcpScenario(
      { notes: scripted() },
      {
        model: [
          [calls('mcp__notes__die')],
          [says('Done.')],
          [calls('mcp__notes__echo', { text: 'back' })],
          [says('Done.')],
        ],
      },
    );
    const { chat, mcp } = made;
    const ended = await chat.send('go');
    expect(ended.type).toBe('turn_completed');
    expect(chat.outputs()[0]).toMatch(/^tool call error: It (was ended by SIGKILL|ended with exit code 137)\.$/);
    await statusOf(mcp, 'ready');
    await chat.send('again');
    expect(chat.outputs().at(-1)).toBe('back');
  });

  test.each(DEATHS)('is killed at %s %j: the turn goes on with the other servers', async (method, more) => {
    await using made = await mcpScenario(
      { notes: scripted(['--die-at', method, ...more]), other: scripted(['--only', 'echo']) },
      {
        model: [
          [calls('mcp__notes__echo', { text: 'one' }), calls('mcp__other__echo', { text: 'two' })],
          [says('Done.')],
        ],
      },
    );
    const { chat, mcp } = made;
    const isCalled = method === 'tools/call';
    expect(mcp.servers.get('notes')?.status.type).toBe(isCalled ? 'ready' : 'failed');
    if (!isCalled) expect(mcp.servers.get('notes')?.unavailable).toMatch(KILLED);
    const ended = await chat.send('go');
    expect(ended.type).toBe('turn_completed');
    const [failed, answered] = chat.outputs();
    expect(failed).toMatch(isCalled ? KILLED : /^unsupported call/i);
    expect(answered).toBe('two');
  });

  test('never answers: the call ends at its time-out, and the server goes on', async () => {
    await using made = await mcpScenario(
      { notes: scripted([], { toolTimeoutMs: 300 }) },
      { model: [[calls('mcp__notes__never')], [calls('mcp__notes__never')], [says('Done.')]] },
    );
    await made.chat.send('go');
    expect(made.chat.outputs()[0]).toBe('tool call error: It did not answer within 300 ms (toolTimeoutMs).');
    expect(made.mcp.servers.get('notes')?.status.type).toBe('ready');
  });

  test('answers against the protocol: each call ends at once, with the reason in a sentence', async () => {
    const content = [{ type: 'text', text: 'fine' }];
    const answers: readonly (readonly [answer: unknown, output: string])[] = [
      [{ result: { content }, error: null }, 'fine'],
      [{ result: null, error: { code: 'EDISK', message: 'no disk' } }, 'tool call error: no disk'],
      [{ error: { code: 1 } }, 'tool call error: It failed: {"code":1}'],
      [{ error: 'gone' }, 'tool call error: It failed: "gone"'],
      [{ result: null }, 'tool call error: Its answer is not an object.'],
      [
        { result: { content: [...content, { type: 'text', text: 7 }] } },
        'tool call error: Invalid result for tools/call: content.1.text: Invalid input: expected string, received number.',
      ],
    ];
    await using made = await mcpScenario(
      { notes: scripted(['--mark']) },
      { model: [answers.map(([message]) => calls('mcp__notes__answer', { message })), [says('Done.')]] },
    );
    await made.chat.send('go');
    expect(made.chat.outputs()).toEqual(answers.map(([, output]) => output));
  });

  test('has names that are the same without special characters: all are offered, and each call reaches its tool', async () => {
    await using made = await mcpScenario(
      { notes: scripted() },
      {
        model: (request, index) => {
          const names = request.toolNames.filter((name) => name.startsWith('mcp__notes__a_b'));
          return index === 0 ? names.map((name) => calls(name)) : [says('Done.')];
        },
      },
    );
    await made.chat.send('go');
    expect(made.chat.outputs()[0]).toBe('I am a_b');
    expect(made.chat.outputs().toSorted()).toEqual(['I am a b', 'I am a.b', 'I am a_b']);
  });

  test('can end by itself at the end of its input, before it is ended by a signal', async () => {
    const sandbox = { writableRoots: ['${workspaceFolder}'] };
    const record = '${workspaceFolder}/record.txt';
    await using made = await mcpScenario(
      { notes: scripted(['--record', record], { sandbox }), other: scripted(['--stays']) },
      { model: [] },
    );
    await Promise.all(made.mcp.servers.all.map((server) => server.stop()));
    expect(made.chat.files()['record.txt']).toMatch(/\nend of input\n$/);
    expect(made.mcp.servers.all.map(({ status }) => status.type)).toEqual(['stopped', 'stopped']);
  });

  test('floods: its connection ends, not the turn', async () => {
    await using made = await mcpScenario(
      { notes: scripted() },
      { model: [[calls('mcp__notes__flood')], [says('Done.')]] },
    );
    const ended = await made.chat.send('go');
    expect(ended.type).toBe('turn_completed');
    expect(made.chat.outputs()[0]).toBe('tool call error: It sent too many messages that nothing had asked for.');
  });

  test('describes its tools wrongly: what can be used of them is offered', async () => {
    await using made = await mcpScenario(
      { notes: scripted(['--lies']) },
      { model: [[calls('mcp__notes__echo', { text: 'hi' })], [says('Done.')]] },
    );
    const { chat } = made;
    const ended = chat.send('go');
    await chat.answer('approved');
    await ended;
    const names = chat.server.requests[0]?.toolNames ?? [];
    expect(names.filter((name) => name.startsWith('mcp__'))).toEqual(['mcp__notes__echo', 'mcp__notes__odd_name_']);
    expect(chat.outputs()).toEqual(['hi']);
  });

  test('ends at its start or says nothing: the others are there, and the reason is kept', async () => {
    await using made = await mcpScenario(
      {
        broken: scripted(['--exit']),
        silent: scripted(['--silent'], { startupTimeoutMs: 300 }),
        missing: { command: '/no/such/program' },
        good: scripted(['--only', 'echo']),
      },
      { model: [[calls('mcp__good__echo', { text: 'hi' })], [says('Done.')]] },
    );
    await made.chat.send('go');
    expect(made.chat.outputs()).toEqual(['hi']);
    const why = (name: string) => made.mcp.servers.get(name)?.unavailable;
    expect(why('broken')).toContain('It ended with exit code 3. It printed: cannot find my configuration');
    expect(why('broken')).toContain(
      'It runs in the sandbox: it can write in a temporary folder only, and has no network',
    );
    expect(why('silent')).toContain('It was not ready within 300 ms (startupTimeoutMs).');
    expect(why('missing')).toContain('/no/such/program');
  });

  test('is required: a turn does not start without it', async () => {
    await using made = await mcpScenario({ broken: scripted(['--exit'], { required: true }) }, { model: [] });
    const ended = await made.chat.send('go');
    expect(ended).toMatchObject({ type: 'turn_aborted', reason: 'failed' });
    expect(made.chat.said('error')[0]).toMatchObject({ kind: 'config', action: 'check_settings' });
    expect(made.chat.said('error')[0]?.message).toContain('It is required (mcpServers.broken.required).');
  });

  test('tries to write outside of its folders, and to read what is private: the sandbox stops it', async () => {
    await using made = await mcpScenario(
      { notes: scripted() },
      { model: [[calls('mcp__notes__write', { path: 'out.txt' })], [says('Done.')]], policy: 'never' },
    );
    const { chat } = made;
    await chat.send('write');
    expect(chat.files()).toEqual({});
    expect(existsSync(chat.folder.at('out.txt'))).toBe(false);
  });

  test('gets a small environment, and what its entry sets', async () => {
    process.env['TILLER_TEST_OTHER'] = 'not for servers';
    await using made = await mcpScenario(
      { notes: scripted([], { env: { MINE: '${userHome}' } }) },
      { model: [[calls('mcp__notes__environment')], [says('Done.')]] },
    );
    await made.chat.send('go');
    delete process.env['TILLER_TEST_OTHER'];
    const environment = JSON.parse(made.chat.outputs()[0] ?? '{}');
    expect(environment).toMatchObject({ MINE: expect.stringMatching(/^\//), PATH: process.env['PATH'] });
    expect(environment).not.toHaveProperty('TILLER_TEST_OTHER');
    expect(environment).not.toHaveProperty('TILLER_HOME');
  });
});
