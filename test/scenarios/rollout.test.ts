import { appendFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { replay } from '../../src/core/rollout/replay.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { calls, hangs, says } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

function rolloutFile(chat: Scenario): string {
  const [name] = readdirSync(chat.home.at('threads'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.jsonl'),
  );
  return chat.home.at('threads', name ?? '');
}

function stateFromDisk(chat: Scenario) {
  const result = replay(readFileSync(rolloutFile(chat), 'utf8'));
  if (result.type !== 'thread') throw new Error(result.message);
  return result.thread;
}

describe('a rollout', () => {
  it('rebuilds exactly the state that was shown', async () => {
    await using chat = await startScenario({
      files: { 'a.txt': 'one\n' },
      model: [
        [says('Looking.'), calls('exec_command', { cmd: 'cat a.txt' })],
        [calls('update_plan', { plan: [{ step: 'x', status: 'completed' }] })],
        [says('Done.')],
      ],
    });
    await chat.send('go');
    const { state, dropped } = stateFromDisk(chat);
    expect({ ...state, lastSeq: 0 }).toEqual(normalized(chat));
    expect(dropped).toBe(0);
  });

  it('has the path of the specification, readable only by its owner', async () => {
    await using chat = await startScenario({ model: [[says('Hello.')]] });
    await chat.send('hi');
    expect(rolloutFile(chat).slice(chat.home.path.length)).toMatch(
      /^\/threads\/\d{4}\/\d\d\/\d\d\/rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[0-9a-f-]{36}\.jsonl$/,
    );
    expect(chat.said('thread_started')[0]?.rolloutPath).toBe(rolloutFile(chat));
    expect(chat.rollout()[0]).toMatchObject({
      type: 'session_meta',
      payload: { format: 'tiller-rollout', version: 1 },
    });
  });

  it('is not created for a thread without a message', async () => {
    await using chat = await startScenario({ model: [] });
    expect(readdirSync(chat.home.path)).toEqual([]);
  });

  it('holds a call before it runs', async () => {
    await using chat = await startScenario({ model: [[calls('exec_command', { cmd: 'touch x' })], [says('Done.')]] });
    const ended = chat.turnEnds();
    const asked = chat.next('approval_requested');
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await asked;
    expect(chat.rollout().some(({ payload }) => payload.type === 'function_call')).toBe(true);
    await chat.answer('approved');
    await ended;
  });
});

describe('resuming', () => {
  it('continues with the same history and the approvals of the thread', async () => {
    const write = { cmd: 'echo x >> made.txt' };
    await using first = await startScenario({ model: [[calls('exec_command', write)], [says('One.')]] });
    const ended = first.turnEnds();
    first.submit({ type: 'user_turn', input: [{ type: 'text', text: 'first' }] });
    await first.answer('approved_for_thread');
    await ended;
    await first.session.dispose();

    await using second = await startScenario({
      resume: first,
      model: [[calls('exec_command', write)], [says('Two.')]],
    });
    await second.send('second');
    expect(second.said('approval_requested')).toEqual([]);
    expect(second.files()['made.txt']).toBe('x\nx\n');
    const before = first.server.lastRequest.elements;
    expect(second.server.requests[0]?.elements.slice(0, before.length)).toEqual(before);
    expect(second.said('thread_started')[0]?.resumed).toBe(true);
  });

  it('keeps who denied each call, and with which message', async () => {
    const patch = '*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch';
    await using first = await startScenario({
      policy: 'untrusted',
      model: [
        [calls('exec_command', { cmd: 'touch a' })],
        [calls('apply_patch', { input: patch })],
        [calls('exec_command', { cmd: 'touch b' })],
      ],
    });
    const ended = first.turnEnds();
    first.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await first.answer({ denied: { message: ' Use the patch tool. ' } });
    await first.next('approval_requested');
    await first.answer({ denied: {} });
    await first.next('approval_requested');
    await first.answer('abort');
    await ended;
    const [command, another] = first.items('command_execution');
    const [change] = first.items('file_change');
    const denials = [
      { itemId: command?.id, by: 'user', word: 'Use the patch tool.' },
      { itemId: change?.id, by: 'user', word: '' },
      { itemId: another?.id, by: 'user', word: '' },
    ];
    expect(first.state.turns[0]?.denials).toEqual(denials);
    await first.session.dispose();

    await using second = await startScenario({ resume: first, model: [[says('All right.')]] });
    expect(second.session.shownState.turns[0]?.denials).toEqual(denials);
  });

  it('after a crash answers the open calls, runs nothing again and waits for the user', async () => {
    await using first = await startScenario({
      sandbox: 'danger-full-access',
      model: [[calls('exec_command', { cmd: 'echo ran >> log; sleep 30' })], [hangs()]],
    });
    first.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await expect.poll(() => first.files().log).toBe('ran\n');
    // The file of a killed process: the lines so far, the last one torn.
    const cut = readFileSync(rolloutFile(first), 'utf8');
    const ended = first.turnEnds();
    first.submit({ type: 'interrupt' });
    await ended;
    await first.session.dispose();
    writeFileSync(rolloutFile(first), cut);
    appendFileSync(rolloutFile(first), '{"timestamp":"2026-');

    await using second = await startScenario({
      resume: first,
      sandbox: 'danger-full-access',
      model: [[says('I see.')]],
    });
    expect(second.said('turn_aborted')).toEqual([{ type: 'turn_aborted', reason: 'crashed' }]);
    await second.send('what happened?');
    expect(second.files()).toEqual({ log: 'ran\n' });
    expect(second.outputs()).toEqual(['aborted']);
    const { state } = stateFromDisk(second);
    expect(state.turns.map((turn) => turn.status.type)).toEqual(['aborted', 'completed']);
  });

  it('asks again for the pending approval of an ended process, and continues that turn', async () => {
    await using first = await startScenario({
      model: [[calls('exec_command', { cmd: 'echo x > made.txt' }), calls('update_plan', { plan: [] })]],
    });
    const asked = first.next('approval_requested');
    first.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    const { approvalId } = await asked;
    await first.session.suspend();

    await using second = await startScenario({ resume: first, model: [[says('Done.')]] });
    const ended = second.turnEnds();
    await expect.poll(() => second.state.approvals.length).toBe(1);
    expect(second.state.approvals[0]?.approvalId).not.toBe(approvalId);
    await second.answer('approved');
    expect(await ended).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    expect(second.files()).toEqual({ 'made.txt': 'x\n' });
    expect(second.outputs()).toEqual(['aborted', expect.stringContaining('exited with code 0')]);
  });

  it('shows the partial message of a closed window, and sends the model nothing of it', async () => {
    await using first = await startScenario({ model: [[says('Half a sent'), hangs()]] });
    const growing = first.next('item_delta');
    first.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await growing;
    await first.session.suspend();
    await using second = await startScenario({ resume: first, model: [[says('A whole one.')]] });
    const shown = second.session.initialState.turns[0]?.items.map((item) => [item.type, item.status]);
    expect(shown).toEqual([
      ['user_message', 'completed'],
      ['agent_message', 'aborted'],
    ]);
    await second.send('and?');
    expect(JSON.stringify(second.state.turns[0]?.items)).toContain('Half a');
    expect(JSON.stringify(second.server.lastRequest.input)).not.toContain('Half a');
  });

  it('sends no context twice', async () => {
    await using first = await startScenario({ files: { 'AGENTS.md': 'Use tabs.' }, model: [[says('One.')]] });
    await first.send('first');
    await first.session.dispose();
    await using second = await startScenario({ resume: first, model: [[says('Two.')]] });
    await second.send('second');
    const roles = second.server.lastRequest.input.map((item) => item.role);
    expect(roles).toEqual(['developer', 'user', 'user', 'user', 'assistant', 'user']);
  });

  it('reads the intact lines of a damaged file', async () => {
    await using first = await startScenario({ model: [[says('One.')]] });
    await first.send('first');
    await first.session.dispose();
    const lines = readFileSync(rolloutFile(first), 'utf8').split('\n');
    lines.splice(
      2,
      0,
      'not json',
      '{"type":"from_the_future","payload":{}}',
      '{"type":"response_item","payload":{"type":"x"}}',
    );
    writeFileSync(rolloutFile(first), lines.join('\n'));
    const thread = stateFromDisk(first);
    expect(thread.dropped).toBe(3);
    expect(thread.state.turns).toHaveLength(1);
    const resumed = await first.service.resume('last', ...first.thread);
    if (resumed.type !== 'resumed') throw new Error(resumed.type);
    expect(resumed.session.shownState.warnings).toEqual([
      { message: '3 lines of this thread could not be read and were left out.' },
    ]);
    await resumed.session.dispose();
  });
});

/** State that exists only during streaming is not in the rollout. */
function normalized(chat: Scenario) {
  return { ...chat.state, lastSeq: 0, turns: chat.state.turns.map((turn) => ({ ...turn, retry: null })) };
}
