import { describe, expect, it } from 'vitest';
import type { Ports } from '../../src/core/ports.ts';
import {
  calls,
  callsCustom,
  callsLocalShell,
  cuts,
  endsTurn,
  fails,
  hangs,
  reasons,
  says,
  usage,
} from '../support/modelServer.ts';
import { startScenario } from '../support/startScenario.ts';

const HELLO_PATCH = `*** Begin Patch
*** Update File: a.txt
@@
-one
+two
*** End Patch`;

describe('a turn', () => {
  it('prepares the start of commands when it begins, before the model answers', async () => {
    let prepared = 0;
    const model = () => [says(`Prepared ${prepared} times.`)];
    const deps = ({ exec }: Ports) => ({ exec: { ...exec, prepare: () => (prepared += 1) } });
    await using chat = await startScenario({ model, deps });
    expect(await chat.send('hi')).toEqual({ type: 'turn_completed', lastMessage: 'Prepared 1 times.' });
  });

  it('ends with the message of the model', async () => {
    await using chat = await startScenario({ model: [[says('Hello.')]] });
    expect(await chat.send('hi')).toEqual({ type: 'turn_completed', lastMessage: 'Hello.' });
    expect(chat.state.turns[0]?.items.map((item) => [item.type, item.status])).toEqual([
      ['user_message', 'completed'],
      ['agent_message', 'completed'],
    ]);
  });

  it('streams text whose deltas concatenate exactly to the message', async () => {
    await using chat = await startScenario({
      model: [[reasons(['Think.', 'More.']), says('One two three four.', { deltas: 7 })]],
    });
    await chat.send('hi');
    const [message] = chat.items('agent_message');
    const deltas = chat.said('item_delta').filter((delta) => delta.itemId === message?.id);
    expect(deltas.map((delta) => delta.text).join('')).toBe(message?.text);
    expect(chat.items('reasoning')[0]?.summary).toEqual(['Think.', 'More.']);
  });

  it('edits a file, reports it to the model, and shows the change to the user', async () => {
    await using chat = await startScenario({
      files: { 'a.txt': 'one\n' },
      model: [[calls('apply_patch', { input: HELLO_PATCH })], [says('Done.')]],
    });
    await chat.send('make it two');
    expect(chat.files()).toEqual({ 'a.txt': 'two\n' });
    expect(chat.outputs()).toEqual([expect.stringMatching(/^Exit code: 0\nWall time: .*\nOutput:\n.*\nM a\.txt\n$/s)]);
    expect(chat.items('file_change')[0]).toMatchObject({
      status: 'completed',
      changes: [{ path: 'a.txt', kind: 'update', added: 1, removed: 1, decision: 'accepted' }],
    });
    expect(chat.said('turn_diff').at(-1)?.unifiedDiff).toContain('-one\n+two\n');
  });

  it('accepts a freeform patch, and a patch written as a shell command', async () => {
    await using chat = await startScenario({
      files: { 'a.txt': 'one\n', 'b/a.txt': 'one\n' },
      model: [
        [callsCustom('apply_patch', HELLO_PATCH)],
        [calls('exec_command', { cmd: `cd b && apply_patch <<'EOF'\n${HELLO_PATCH}\nEOF` })],
        [says('Done.')],
      ],
    });
    await chat.send('make it two');
    expect(chat.files()).toEqual({ 'a.txt': 'two\n', 'b/a.txt': 'two\n' });
    expect(chat.outputs().at(-1)).toContain('Next time call the apply_patch tool');
  });

  it('says that apply_patch is a tool when a script that does more than the patch does not find the program', async () => {
    const script = `apply_patch <<'EOF' && cat a.txt\n${HELLO_PATCH}\nEOF`;
    await using chat = await startScenario({
      files: { 'a.txt': 'one\n' },
      sandbox: 'danger-full-access',
      model: [
        [calls('exec_command', { cmd: script }), calls('exec_command', { cmd: 'echo apply_patch' })],
        [says('Done.')],
      ],
    });
    await chat.send('make it two');
    const [refused, other] = chat.outputs();
    expect(refused).toMatch(
      /exited with code 127\n[^]*\napply_patch is a tool, not a program: call it with the patch alone\.$/,
    );
    expect(other).not.toContain('is a tool');
    expect(chat.files()).toEqual({ 'a.txt': 'one\n' });
  });

  it.each([
    ['responses', calls('apply_patch', { input: HELLO_PATCH }, { deltas: 9 })],
    ['responses', callsCustom('apply_patch', HELLO_PATCH, { deltas: 9 })],
    ['chat', calls('apply_patch', { input: HELLO_PATCH }, { deltas: 9 })],
  ] as const)('shows a patch while it is being written, in the item of the call, on %s', async (wire, step) => {
    await using chat = await startScenario({
      wire,
      files: { 'a.txt': 'one\n' },
      model: [[step], [says('Done.')]],
    });
    await chat.send('go');
    const started = chat.said('item_started').filter(({ item }) => item.type === 'file_change');
    expect(started).toHaveLength(1);
    const deltas = chat.said('item_delta').filter((delta) => delta.kind === 'patch');
    expect(deltas.map((delta) => delta.text).join('')).toBe(HELLO_PATCH);
    expect(chat.items('file_change').map((item) => item.id)).toEqual([started[0]?.item.id]);
  });

  it('leaves every file unchanged when one part of a patch does not fit', async () => {
    const patch = HELLO_PATCH.replace('*** End Patch', '*** Update File: b.txt\n@@\n-nowhere\n+x\n*** End Patch');
    await using chat = await startScenario({
      files: { 'a.txt': 'one\n', 'b.txt': 'b\n' },
      model: [[calls('apply_patch', { input: patch })], [says('Sorry.')]],
    });
    await chat.send('go');
    expect(chat.files()).toEqual({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
    expect(chat.outputs()[0]).toMatch(/^apply_patch verification failed: .*b\.txt/s);
    expect(chat.items('file_change')).toMatchObject([{ status: 'failed', why: chat.outputs()[0] }]);
  });

  it('runs every call of a response and answers them in call order', async () => {
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      model: [
        [calls('exec_command', { cmd: 'sleep 0.2; echo slow' }), calls('exec_command', { cmd: 'echo fast' })],
        [says('Done.')],
      ],
    });
    await chat.send('go');
    expect(chat.outputs()).toEqual([expect.stringContaining('slow'), expect.stringContaining('fast')]);
  });

  it('accepts the tool names that other models know', async () => {
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      model: [
        [calls('shell', { command: ['bash', '-lc', 'echo from-shell'] }), callsLocalShell(['echo', 'from-local'])],
        [
          calls('shell_command', { command: 'echo from-line' }),
          calls('container.exec', { command: ['echo', 'from-container'] }),
        ],
        [says('Done.')],
      ],
    });
    await chat.send('go');
    expect(chat.outputs()).toEqual(
      ['from-shell', 'from-local', 'from-line', 'from-container'].map((word) =>
        expect.stringMatching(new RegExp(`^Exit code: 0\nWall time: \\d+\\.\\d seconds\nOutput:\n${word}\n$`)),
      ),
    );
  });

  it('gives a call without an id a unique one', async () => {
    await using chat = await startScenario({
      model: [
        [calls('update_plan', { plan: [] }, { callId: '' }), calls('update_plan', { plan: [] }, { callId: 'same' })],
        [calls('update_plan', { plan: [] }, { callId: 'same' })],
        [says('Done.')],
      ],
    });
    await chat.send('go');
    const ids = chat.server.lastRequest.input
      .filter((item) => item.type === 'function_call')
      .map((item) => item.call_id);
    expect(new Set(ids).size).toBe(3);
    expect(ids).not.toContain('');
  });

  it('never runs a call with malformed JSON, and reports the reason', async () => {
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      model: [
        [calls('exec_command', '{"cmd":"touch bad')],
        [calls('exec_command', { command: 'touch bad' })],
        [says('Done.')],
      ],
    });
    await chat.send('go');
    expect(chat.files()).toEqual({});
    expect(chat.outputs()[0]).toMatch(/^Failed to parse the arguments: .*Nothing was run\.$/);
    expect(chat.outputs()[1]).toMatch(/cmd/);
  });

  it('lists the available tools when the model calls another, and shows the call as failed', async () => {
    await using chat = await startScenario({ model: [[calls('browse', {})], [says('Done.')]] });
    await chat.send('go');
    const text =
      'Unsupported call: there is no tool browse. The tools are: exec_command, write_stdin, apply_patch, read_file, list_dir, grep_files, view_image, fetch_url, update_plan, request_user_input, task.';
    expect(chat.outputs()[0]).toBe(text);
    expect(chat.items('dynamic_tool_call')).toMatchObject([
      {
        tool: 'browse',
        arguments: '{}',
        status: 'failed',
        success: false,
        contentItems: [{ type: 'input_text', text }],
      },
    ]);
  });

  it('shows a plan', async () => {
    const plan = [
      { step: 'Look', status: 'completed' as const },
      { step: 'Change', status: 'in_progress' as const },
    ];
    await using chat = await startScenario({ model: [[calls('update_plan', { plan })], [says('Done.')]] });
    await chat.send('go');
    expect(chat.state.plan?.steps).toEqual(plan);
    expect(chat.outputs()).toEqual(['Plan updated']);
  });

  it('continues when the server reports that the turn has not ended', async () => {
    await using chat = await startScenario({ model: [[says('Wait.'), endsTurn(false)], [says('Now.')]] });
    expect(await chat.send('go')).toEqual({ type: 'turn_completed', lastMessage: 'Now.' });
  });

  it('warns the user and the model when the same call returns the same output three times', async () => {
    const same = () => [calls('exec_command', { cmd: 'echo again' })];
    await using chat = await startScenario({ model: [same(), same(), same(), [says('Done.')]] });
    await chat.send('go');
    expect(chat.said('warning').map(({ message }) => message)).toEqual([
      'The model made the same call three times with the same result: exec_command.',
    ]);
    expect(chat.outputs().map((output) => output.includes('three times in a row'))).toEqual([false, false, true]);
  });

  it('compares calls of one response in their order, whichever ends first', async () => {
    const pair = [calls('exec_command', { cmd: 'sleep 0.05; echo slow' }), calls('no_such_tool', {})];
    await using chat = await startScenario({ model: [[...pair, ...pair, ...pair], [says('Done.')]] });
    await chat.send('go');
    expect(chat.said('warning')).toEqual([]);
    expect(chat.outputs().filter((output) => output.includes('in a row'))).toEqual([]);
  });

  it('pauses after the maximum number of rounds and continues on request', async () => {
    await using chat = await startScenario({
      maxToolRounds: 2,
      model: [[calls('update_plan', { plan: [] })], [calls('update_plan', { plan: [] })], [says('Done.')]],
    });
    expect(await chat.send('go')).toEqual({ type: 'turn_aborted', reason: 'failed' });
    expect(chat.said('error')[0]).toMatchObject({ kind: 'paused', action: 'retry' });
    const ended = chat.turnEnds();
    chat.submit({ type: 'retry' });
    expect(await ended).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
  });

  it('counts tokens, and marks estimates', async () => {
    const counted = { input: 10, cachedInput: 4, output: 5, reasoning: 1, total: 15 };
    await using chat = await startScenario({
      model: [
        [calls('update_plan', { plan: [] }), usage(counted)],
        [says('Done.'), usage(null)],
      ],
    });
    await chat.send('go');
    const [first, second] = chat.said('token_count');
    expect(first).toMatchObject({ last: counted, total: counted, estimated: false });
    expect(second?.estimated).toBe(true);
    expect(second?.total.total).toBe(15 + (second?.last.total ?? 0));
  });
});

describe('faults', () => {
  it('does not run a completed call twice when the connection is cut after it', async () => {
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      model: [[says('Let me.'), calls('exec_command', { cmd: 'echo ran >> log' }), cuts()], [says('Done.')]],
    });
    await chat.send('go');
    expect(chat.files()).toEqual({ log: 'ran\n' });
    expect(chat.outputs()).toHaveLength(1);
    expect(chat.said('stream_error')).toHaveLength(1);
  });

  it('does not run a call again that the server repeats after the cut', async () => {
    const steps = [
      reasons('Hm.'),
      says('Let me.'),
      calls('exec_command', { cmd: 'echo ran >> log' }, { callId: 'one' }),
    ];
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      model: [[...steps, cuts()], steps, [says('Done.')]],
    });
    expect(await chat.send('go')).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    expect(chat.files()).toEqual({ log: 'ran\n' });
    expect(chat.outputs()).toHaveLength(1);
    expect(chat.server.lastRequest.text.split('Let me.')).toHaveLength(2);
    expect(chat.items('agent_message').map(({ text, status }) => [text, status])).toEqual([
      ['Let me.', 'completed'],
      ['Let me.', 'aborted'],
      ['Done.', 'completed'],
    ]);
  });

  it('runs a call under a repeated id when its arguments differ', async () => {
    const appends = (word: string) => calls('exec_command', { cmd: `echo ${word} >> log` }, { callId: 'one' });
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      model: [[appends('a'), cuts()], [appends('b'), appends('b'), appends('c')], [appends('c')], [says('Done.')]],
    });
    await chat.send('go');
    expect(chat.files()).toEqual({ log: 'a\nb\nc\nc\n' });
    expect(chat.outputs()).toHaveLength(4);
  });

  it('does not keep the text of a failed attempt beside that of the next', async () => {
    await using chat = await startScenario({ model: [[says('Half'), cuts()], [says('Whole.')]] });
    expect(await chat.send('go')).toEqual({ type: 'turn_completed', lastMessage: 'Whole.' });
    expect(chat.items('agent_message').map((item) => [item.text, item.status])).toEqual([
      ['Half', 'aborted'],
      ['Whole.', 'completed'],
    ]);
    const said = chat.server.lastRequest.input.filter((item) => item.role === 'assistant');
    expect(said).toEqual([]);
  });

  it('ends with a message, the server’s error and an action, and stays usable', async () => {
    await using chat = await startScenario({
      model: [[fails(401, { error: { message: 'Incorrect API key provided' } })], [says('Hello.')]],
    });
    expect(await chat.send('go')).toEqual({ type: 'turn_aborted', reason: 'failed' });
    expect(chat.said('error')).toEqual([
      expect.objectContaining({
        kind: 'no_key',
        detail: expect.stringContaining('Incorrect API key'),
        action: 'set_api_key',
      }),
    ]);
    expect(await chat.send('again')).toEqual({ type: 'turn_completed', lastMessage: 'Hello.' });
  });

  it('is limited to six attempts, each of them reported', async () => {
    await using chat = await startScenario({ maxAttempts: 3, model: () => [fails(500, {})] });
    expect(await chat.send('go')).toEqual({ type: 'turn_aborted', reason: 'failed' });
    expect(chat.said('stream_error').map(({ attempt, of }) => [attempt, of])).toEqual([
      [1, 3],
      [2, 3],
    ]);
    expect(chat.server.requests).toHaveLength(3);
  });
});

describe('interrupting', () => {
  it.each(['responses', 'chat'] as const)(
    'stops a stream at once; the model gets what it had said (%s)',
    async (wire) => {
      const model = [[says('First.'), says('I begin to'), hangs()], [says('Back.')]];
      await using chat = await startScenario({ wire, model });
      const ended = chat.turnEnds();
      chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
      const received = () => chat.said('item_delta').reduce((sum, { text }) => sum + text, '');
      while (!received().endsWith('I begin to')) await chat.next('item_delta');
      chat.submit({ type: 'interrupt' });
      expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
      expect(new Set(chat.items('agent_message').map((item) => item.status))).toEqual(new Set(['aborted']));
      await chat.send('and now?');
      const said = chat.server.lastRequest.input.map((item) => JSON.stringify(item.content));
      const at = (text: string) => said.findIndex((one) => one.includes(text));
      expect([at('First.'), at('I begin to')]).not.toContain(-1);
      expect(at('I begin to')).toBeLessThan(at('<turn_aborted>'));
      expect(at('<turn_aborted>')).toBeLessThan(at('and now?'));
    },
  );

  it('records no message without words, and none of an attempt that failed', async () => {
    await using chat = await startScenario({
      maxAttempts: 2,
      model: [[says('Lost'), cuts()], [reasons('Thinking.'), hangs()], [says('Back.')]],
    });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await chat.server.received(2);
    while (!chat.said('item_delta').some(({ text }) => text.includes('.'))) await chat.next('item_delta');
    chat.submit({ type: 'interrupt' });
    await ended;
    await chat.send('and now?');
    expect(chat.server.lastRequest.input.filter(({ role }) => role === 'assistant')).toEqual([]);
    expect(JSON.stringify(chat.server.lastRequest.input)).not.toContain('Lost');
  });

  it('kills a running command with all its children and reports how long it ran', async () => {
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      model: [
        [
          calls('exec_command', { cmd: 'echo first' }),
          calls('exec_command', { cmd: 'echo started; sleep 60 & sleep 60; echo late > late' }),
        ],
        [says('Back.')],
      ],
    });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await expect.poll(() => chat.said('item_delta').some(({ text }) => text.includes('started'))).toBe(true);
    chat.submit({ type: 'interrupt' });
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    await chat.send('and now?');
    expect(chat.outputs()[0]).toContain('first');
    expect(chat.outputs()[1]).toMatch(/^aborted by user after \d+\.\d s$/);
    expect(chat.items('command_execution').map((item) => item.status)).toEqual(['completed', 'aborted']);
    expect(chat.files()).toEqual({});
  });

  it('ends the delay between attempts', async () => {
    await using chat = await startScenario({ model: [[fails(429, {}, { 'retry-after': '30' })]] });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await chat.next('stream_error');
    chat.submit({ type: 'interrupt' });
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
  });
});
