import { describe, expect, it } from 'vitest';
import { calls, hangs, says, waits } from '../support/modelServer.ts';
import { prefixBreaches } from '../support/modelRequest.ts';
import { startScenario } from '../support/startScenario.ts';

const text = (value: string) => [{ type: 'text' as const, text: value }];

describe('the prompt', () => {
  it('has the permissions, the instructions of the project, the environment and then the message of the user', async () => {
    await using chat = await startScenario({
      files: { '.git/HEAD': '', 'AGENTS.md': 'Use tabs.' },
      userInstructions: 'Speak French.',
      model: [[says('Hello.')]],
    });
    await chat.send('hi');
    const { body, input } = chat.server.lastRequest;
    expect(body.instructions).toContain('You are Tiller');
    expect(input.map((item) => item.role)).toEqual(['developer', 'user', 'user', 'user']);
    const said = input.map((item) => (item.content as { text: string }[])[0]?.text ?? '');
    expect(said[0]).toMatch(/^<permissions>/);
    expect(said[1]).toBe(
      `# AGENTS.md instructions for ${chat.folder.path}\n\n<INSTRUCTIONS>\nSpeak French.\n\nUse tabs.\n</INSTRUCTIONS>`,
    );
    expect(said[2]).toContain(`<cwd>${chat.folder.path}</cwd>`);
    expect(said[3]).toBe('hi');
  });

  it('has at most 20,000 bytes before the first message of the user', async () => {
    await using chat = await startScenario({ model: [[says('Hello.')]] });
    await chat.send('x');
    expect(Buffer.byteLength(chat.server.lastRequest.text)).toBeLessThan(20_000);
  });

  it('is only appended to, over turns, changed settings and an interrupt', async () => {
    await using chat = await startScenario({
      model: [[calls('update_plan', { plan: [] })], [says('One.')], [says('Two.')], [hangs()], [says('Four.')]],
    });
    await chat.send('first');
    chat.submit({ type: 'override_turn_context', policy: 'never' });
    await chat.send('second');
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: text('third') });
    await chat.server.received(4);
    chat.submit({ type: 'interrupt' });
    await ended;
    await chat.send('fourth', { overrides: { cwd: '/' } });
    const { requests } = chat.server;
    const breaches = requests.slice(1).flatMap((request, index) => {
      const earlier = requests[index];
      return earlier ? prefixBreaches(earlier, request) : [];
    });
    expect(breaches).toEqual([]);
  });

  it('has each changed setting once, before the next message', async () => {
    await using chat = await startScenario({ model: [[says('1')], [says('2')], [says('3')]] });
    await chat.send('one');
    chat.submit({ type: 'override_turn_context', policy: 'never' });
    await chat.send('two');
    await chat.send('three');
    const told = JSON.stringify(chat.server.lastRequest.input).match(/<approval_policy>[a-z-]+/g);
    expect(told).toEqual(['<approval_policy>on-request', '<approval_policy>never']);
  });

  it('has an override of one turn only in that turn', async () => {
    await using chat = await startScenario({ model: [[says('1')], [says('2')]] });
    await chat.send('one', { overrides: { model: 'other' }, outputSchema: { type: 'object' } });
    await chat.send('two');
    const [first, second] = chat.server.requests.map(({ body }) => body);
    expect([first?.model, second?.model]).toEqual(['other', 'test-model']);
    expect(JSON.stringify(first?.text)).toContain('json_schema');
    expect(second?.text).toBeUndefined();
  });
});

describe('instructions of the project that are too long', () => {
  it('are named once in a warning, also after a resume', async () => {
    const files = { 'AGENTS.md': 'x'.repeat(20) };
    await using first = await startScenario({ files, projectDocMaxBytes: 10, model: [[says('One.')], [says('Two.')]] });
    await first.send('one');
    await first.send('two');
    const message =
      'The instructions of the project have more than 10 bytes (projectDocMaxBytes): the model does not get all of AGENTS.md.';
    expect(first.said('warning')).toEqual([{ type: 'warning', message }]);
    await first.session.dispose();
    await using second = await startScenario({ resume: first, projectDocMaxBytes: 10, model: [[says('Three.')]] });
    await second.send('three');
    expect(second.said('warning')).toEqual([]);
  });
});

describe('steering', () => {
  it('joins the running turn at its next boundary, and can be edited and withdrawn until then', async () => {
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      model: [[calls('exec_command', { cmd: 'sleep 0.3' })], [says('Done.')]],
    });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: text('go') });
    await chat.next('item_started');
    const kept = chat.submit({ type: 'steer', input: text('also thsi') });
    const withdrawn = chat.submit({ type: 'steer', input: text('never mind') });
    chat.submit({ type: 'edit_queued', id: kept, input: text('also this') });
    chat.submit({ type: 'edit_queued', id: withdrawn, input: null });
    await ended;
    expect(chat.items('user_message').map((item) => item.content)).toEqual([text('go'), text('also this')]);
    expect(chat.said('input_dequeued').map(({ id, reason }) => [id, reason])).toEqual([
      [withdrawn, 'withdrawn'],
      [kept, 'joined'],
    ]);
  });

  it('is held while it is edited: the model gets only the new text, in the next turn if this one is over', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      model: [[calls('exec_command', { cmd: 'true' }), waits(gate)], [says('Done.')], [says('Better.')]],
    });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: text('go') });
    await chat.next('turn_started');
    const edited = chat.submit({ type: 'steer', input: text('the old text') });
    const other = chat.submit({ type: 'steer', input: text('another message') });
    chat.submit({ type: 'hold_queued', id: edited, held: true });
    await chat.next('input_queued');
    release();
    expect(await ended).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    expect(chat.state.queuedInputs).toEqual([{ id: edited, input: text('the old text'), held: true }]);
    const endedAgain = chat.turnEnds();
    chat.submit({ type: 'edit_queued', id: edited, input: text('the new text') });
    expect(await endedAgain).toEqual({ type: 'turn_completed', lastMessage: 'Better.' });
    expect(chat.items('user_message').map((item) => item.content)).toEqual(
      ['go', 'another message', 'the new text'].map(text),
    );
    expect(JSON.stringify(chat.server.requests.map(({ body }) => body))).not.toContain('the old text');
    expect(chat.said('input_dequeued').map(({ id, reason }) => [id, reason])).toEqual([
      [other, 'joined'],
      [edited, 'joined'],
    ]);
  });

  it('continues a turn that was about to end', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using chat = await startScenario({ model: [[says('Done.'), waits(held)], [says('That too.')]] });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: text('go') });
    await chat.next('item_delta');
    chat.submit({ type: 'steer', input: text('that too') });
    await chat.next('input_queued');
    release();
    expect(await ended).toEqual({ type: 'turn_completed', lastMessage: 'That too.' });
  });

  it('starts a turn when none runs', async () => {
    await using chat = await startScenario({ model: [[says('Hello.')]] });
    const ended = chat.turnEnds();
    chat.submit({ type: 'steer', input: text('hi') });
    expect(await ended).toEqual({ type: 'turn_completed', lastMessage: 'Hello.' });
  });

  it('is suggested when a second user_turn is refused', async () => {
    await using chat = await startScenario({ model: [[hangs()]] });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: text('go') });
    await chat.next('turn_started');
    const warned = chat.next('warning');
    chat.submit({ type: 'user_turn', input: text('and') });
    expect((await warned).message).toContain('A turn is running');
    chat.submit({ type: 'interrupt' });
    await ended;
  });
});

describe('tools of the client', () => {
  const weather = {
    name: 'weather',
    description: 'Tells the weather.',
    inputSchema: { type: 'object', properties: {} },
  };

  it('are offered, called and answered by the client', async () => {
    await using chat = await startScenario({ model: [[calls('weather', { city: 'Bonn' })], [says('Rain.')]] });
    chat.submit({ type: 'register_tools', tools: [weather] });
    const ended = chat.turnEnds();
    const requested = chat.next('dynamic_tool_requested');
    chat.submit({ type: 'user_turn', input: text('weather?') });
    const { callId, arguments: args } = await requested;
    expect(args).toEqual({ city: 'Bonn' });
    chat.submit({
      type: 'dynamic_tool_response',
      callId,
      contentItems: [{ type: 'input_text', text: 'rain' }],
      success: true,
    });
    await ended;
    expect(chat.server.requests[0]?.toolNames).toContain('weather');
    expect(chat.items('dynamic_tool_call')[0]).toMatchObject({ status: 'completed', success: true });
  });

  it.each(['responses', 'chat'] as const)('may have names of the prototype of objects (%s)', async (wire) => {
    const names = ['constructor', '__proto__', 'toString'];
    await using chat = await startScenario({ wire, model: [names.map((name) => calls(name, {})), [says('Done.')]] });
    chat.session.onEvent(({ msg }) => {
      if (msg.type !== 'dynamic_tool_requested') return;
      const contentItems = [{ type: 'input_text' as const, text: `result of ${msg.tool}` }];
      chat.submit({ type: 'dynamic_tool_response', callId: msg.callId, contentItems, success: true });
    });
    chat.submit({ type: 'register_tools', tools: names.map((name) => ({ ...weather, name })) });
    await chat.send('go');
    expect(chat.server.requests[0]?.toolNames.slice(-3)).toEqual(names);
    expect(chat.items('dynamic_tool_call').map(({ tool, success }) => [tool, success])).toEqual(
      names.map((name) => [name, true]),
    );
  });

  it('are not called with arguments that are missing or of another type; others are named and left out', async () => {
    const inputSchema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
      additionalProperties: false,
    };
    const made = [{}, { city: 1, days: 1.5 }, { city: 'Bonn', constructor: 1, unit: 'c' }].map((args) =>
      calls('weather', args),
    );
    await using chat = await startScenario({ model: [made, [says('Done.')]] });
    const asked: unknown[] = [];
    chat.session.onEvent(({ msg }) => {
      if (msg.type !== 'dynamic_tool_requested') return;
      asked.push(msg.arguments);
      const contentItems = [{ type: 'input_text' as const, text: 'rain' }];
      chat.submit({ type: 'dynamic_tool_response', callId: msg.callId, contentItems, success: true });
    });
    chat.submit({ type: 'register_tools', tools: [{ ...weather, inputSchema }] });
    await chat.send('go');
    expect(asked).toEqual([{ city: 'Bonn' }]);
    const [missing, wrong] = chat.outputs();
    expect(missing).toBe('Failed to parse the arguments: city: is required. Nothing was run.');
    expect(wrong).toBe(
      'Failed to parse the arguments: city: expected string; days: expected integer. Nothing was run.',
    );
    expect(JSON.stringify(chat.server.lastRequest.input.at(-1))).toContain(
      'Note: this tool has no arguments constructor, unit; they were ignored.',
    );
  });

  it('cannot be added once the thread has started', async () => {
    await using chat = await startScenario({ model: [[says('Hello.')]] });
    await chat.send('hi');
    const warned = chat.next('warning');
    chat.submit({ type: 'register_tools', tools: [weather] });
    expect((await warned).message).toContain('before the first turn');
  });
});
