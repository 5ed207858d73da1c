// Sub-agents that the model starts: `task`, and the five calls of Codex (codex-behaviour.md §11).
import { describe, expect, it } from 'vitest';
import { agentIds, agentScript, agentsEnd, nextEvent, outputsOf, userTexts } from '../support/agentScript.ts';
import { calls, hangs, reasons, says, usage, waits } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const all = { tools: 'all' } as const;
const spawn = (message: string, more: object = {}) => calls('spawn_agent', { message, ...more });

/** The last output of the root thread's calls. */
function lastOutput(chat: Scenario): unknown {
  const output = outputsOf(rootRequest(chat)).at(-1) ?? '';
  return output.startsWith('{') ? JSON.parse(output) : output;
}

/** The last request of the root thread. */
function rootRequest({ server }: Scenario) {
  const found = server.requests.findLast((request) => userTexts(request).some((text) => text.includes('ROOT')));
  if (found === undefined) throw new Error('The root thread has sent nothing.');
  return found;
}

describe('task', () => {
  it('runs an agent to its end and returns its last message only', async () => {
    await using chat = await startScenario({
      model: agentScript({
        ROOT: [[calls('task', { agent: 'worker', prompt: 'CHILD', description: 'Write a file' })], [says('Done.')]],
        CHILD: [[says('I write.'), calls('exec_command', { cmd: 'echo x > made.txt' })], [says('It is written.')]],
      }),
      policy: 'never',
      sandbox: 'danger-full-access',
    });
    expect(await chat.send('ROOT')).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    expect(lastOutput(chat)).toBe('It is written.');
    expect(chat.files()).toEqual({ 'made.txt': 'x\n' });
    const [item] = chat.items('sub_agent');
    expect(item).toMatchObject({
      status: 'completed',
      action: 'task',
      role: 'worker',
      description: 'Write a file',
      agentState: 'completed',
      lastMessage: 'It is written.',
    });
    expect(chat.state.agents).toEqual([
      {
        agentId: item?.agentId,
        role: 'worker',
        color: 'green',
        description: 'Write a file',
        state: 'completed',
        lastMessage: 'It is written.',
        tokens: expect.any(Number),
        isTask: true,
      },
    ]);
    expect(chat.service.live.sessions).toHaveLength(1);
    expect(userTexts(rootRequest(chat)).join()).not.toContain('subagent_notification');
  });

  it('runs the calls of one response at the same time', async () => {
    let working = 0;
    let meet = () => {};
    const both = new Promise<void>((resolve) => (meet = resolve));
    const arrive = () => {
      if (++working === 2) meet();
      return [waits(both), says('Here.')];
    };
    await using chat = await startScenario({
      model: agentScript({
        ROOT: [
          [calls('task', { agent: 'explorer', prompt: 'ONE' }), calls('task', { agent: 'explorer', prompt: 'TWO' })],
          [says('Done.')],
        ],
        ONE: [arrive],
        TWO: [arrive],
      }),
    });
    await chat.send('ROOT');
    expect(outputsOf(rootRequest(chat))).toEqual(['Here.', 'Here.']);
  });

  it('gives an explorer a sandbox without writing and no patches, also where its parent has full access', async () => {
    await using chat = await startScenario({
      model: agentScript({
        ROOT: [[calls('task', { agent: 'explorer', prompt: 'CHILD' })], [says('Done.')]],
        CHILD: [[calls('apply_patch', { input: '*** Begin Patch\n*** End Patch' })], [says('No patch.')]],
      }),
      sandbox: 'danger-full-access',
      policy: 'never',
    });
    await chat.send('ROOT');
    const child = chat.server.requests.find((request) => userTexts(request).includes('CHILD'));
    expect(child?.toolNames).toEqual([
      'exec_command',
      'write_stdin',
      'read_file',
      'list_dir',
      'grep_files',
      'view_image',
      'update_plan',
    ]);
    expect(child?.text).toContain('Sandbox: read-only');
    const answered = chat.server.requests.findLast((request) => userTexts(request).includes('CHILD'));
    expect(answered && outputsOf(answered)).toEqual([expect.stringContaining('there is no tool apply_patch')]);
  });

  it('fails with a sentence for an unknown agent, and for an agent that has failed', async () => {
    await using chat = await startScenario({
      model: agentScript({
        ROOT: [
          [calls('task', { agent: 'wizard', prompt: 'x' })],
          [calls('task', { agent: 'worker', prompt: 'CHILD' })],
          [says('Done.')],
        ],
        CHILD: [[calls('update_plan', { plan: [] })]],
      }),
      agents: { maxRounds: 1 },
    });
    await chat.send('ROOT');
    expect(outputsOf(rootRequest(chat))).toEqual([
      'There is no agent "wizard". The agents are: explorer, worker, reviewer.',
      'The agent has failed: Paused after 1 tool rounds. Try again to continue.',
    ]);
    expect(chat.items('sub_agent').map(({ status }) => status)).toEqual(['failed', 'failed']);
  });

  it('is stopped with the turn of its parent', async () => {
    await using chat = await startScenario({
      model: agentScript({ ROOT: [[calls('task', { agent: 'worker', prompt: 'CHILD' })]], CHILD: [[hangs()]] }),
    });
    const ended = chat.send('ROOT');
    await chat.server.received(2);
    chat.submit({ type: 'interrupt' });
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    expect(chat.items('sub_agent')).toMatchObject([{ status: 'aborted' }]);
    expect(chat.state.agents).toMatchObject([{ state: 'interrupted' }]);
    expect(chat.service.live.sessions).toHaveLength(1);
  });

  it('asks through its root thread, names itself in the request, and its approval is remembered there', async () => {
    const write = calls('exec_command', { cmd: 'echo x >> made.txt' });
    await using chat = await startScenario({
      model: agentScript({
        ROOT: [[calls('task', { agent: 'worker', prompt: 'CHILD' })], [write], [says('Done.')]],
        CHILD: [[write], [says('Written.')]],
      }),
    });
    const ended = chat.send('ROOT');
    const { msg, threadId } = await nextEvent(chat, ({ msg }) => msg.type === 'approval_requested');
    if (msg.type !== 'approval_requested') throw new Error('Another event.');
    const { approvalId, agent } = msg;
    expect(threadId).not.toBe(chat.session.threadId);
    expect(agent).toEqual({ id: threadId, role: 'worker' });
    chat.submit({ type: 'approval', approvalIds: [approvalId], decision: 'approved_for_thread' });
    expect(await ended).toMatchObject({ type: 'turn_completed' });
    expect(chat.said('approval_requested')).toEqual([]);
    expect(chat.files()).toEqual({ 'made.txt': 'x\nx\n' });
    expect(chat.state.approvedKeys).toHaveLength(1);
  });
});

describe('calls for sub-agents', () => {
  it('spawn, wait, send input, close and resume agents as Codex does', async () => {
    const id = (request: Parameters<typeof agentIds>[0]) => agentIds(request)[0];
    await using chat = await startScenario({
      agents: all,
      model: agentScript({
        ROOT: [
          [spawn('CHILD', { agent_type: 'worker' })],
          (request) => [calls('wait', { ids: [id(request)] })],
          (request) => [calls('send_input', { id: id(request), message: 'And more?' })],
          (request) => [calls('wait', { ids: [id(request), 'nobody'] })],
          (request) => [calls('wait', { ids: [id(request)] })],
          (request) => [calls('close_agent', { id: id(request) })],
          (request) => [calls('send_input', { id: id(request), message: 'Still there?' })],
          (request) => [calls('resume_agent', { id: id(request) })],
          (request) => [calls('send_input', { id: id(request), message: 'Again.' })],
          (request) => [calls('wait', { ids: [id(request)] })],
          [says('Done.')],
        ],
        CHILD: [[says('First.')], [says('Second.')], [says('Third.')]],
      }),
    });
    await chat.send('ROOT');
    const [started, first, sent, unknown, second, closed, refused, resumed, again, third] = outputsOf(
      rootRequest(chat),
    );
    const { agent_id: agentId } = JSON.parse(started ?? '');
    expect(JSON.parse(first ?? '')).toEqual({ status: { [agentId]: { completed: 'First.' } }, timed_out: false });
    expect(JSON.parse(sent ?? '')).toEqual({ submission_id: expect.any(String) });
    expect(JSON.parse(unknown ?? '').status).toMatchObject({ nobody: 'not_found' });
    expect(JSON.parse(second ?? '').status).toEqual({ [agentId]: { completed: 'Second.' } });
    expect(JSON.parse(closed ?? '')).toEqual({ status: { completed: 'Second.' } });
    expect(refused).toBe(`The agent ${agentId} is closed. Open it with resume_agent first.`);
    expect(JSON.parse(resumed ?? '')).toEqual({ status: 'pending_init' });
    expect(JSON.parse(again ?? '')).toEqual({ submission_id: expect.any(String) });
    expect(JSON.parse(third ?? '').status).toEqual({ [agentId]: { completed: 'Third.' } });
  });

  it('reports the end of an agent once, with the next request of its parent, and starts no turn for it', async () => {
    await using chat = await startScenario({
      agents: all,
      model: agentScript({
        ROOT: [[spawn('CHILD')], [says('Started.')], [says('I see.')], [says('Nothing new.')]],
        CHILD: [[says('<b>Found</b>.')]],
      }),
    });
    await chat.send('ROOT');
    await agentsEnd(chat);
    expect(chat.server.requests).toHaveLength(3);
    await chat.send('And?');
    const [agentId] = agentIds(rootRequest(chat));
    const notices = () => userTexts(rootRequest(chat)).filter((text) => text.startsWith('<subagent_notification>'));
    const [notice] = notices();
    expect(JSON.parse(notice?.split('\n')[1] ?? '')).toEqual({
      agent_id: agentId,
      status: { completed: '<b>Found</b>.' },
    });
    expect(notice).not.toContain('<b>');
    await chat.send('And now?');
    expect(notices()).toHaveLength(1);
  });

  it('does not report a result again that a wait has returned', async () => {
    let begin = () => {};
    const waitBegins = new Promise<void>((resolve) => (begin = resolve));
    await using chat = await startScenario({
      agents: all,
      model: agentScript({
        ROOT: [
          [spawn('CHILD')],
          (request) => [calls('wait', { ids: agentIds(request) })],
          [says('Done.')],
          [says('Yes.')],
        ],
        CHILD: [[waits(waitBegins), says('Found.')]],
      }),
    });
    void nextEvent(
      chat,
      ({ msg }) => msg.type === 'item_started' && msg.item.type === 'sub_agent' && msg.item.action === 'wait',
    ).then(begin);
    await chat.send('ROOT');
    await chat.send('Is that all?');
    expect(lastOutput(chat)).toMatchObject({ timed_out: false });
    expect(userTexts(rootRequest(chat)).join('\n')).not.toContain('subagent_notification');
  });

  it('refuses the seventh agent, and a call without a message or with two', async () => {
    const children = Array.from({ length: 6 }, (_, index) => `CHILD${index}`);
    await using chat = await startScenario({
      agents: all,
      model: agentScript({
        ROOT: [
          children.map((name) => spawn(name)),
          [spawn('one too many'), calls('task', { agent: 'worker', prompt: 'also' })],
          (request) => [calls('close_agent', { id: agentIds(request)[0] })],
          [spawn('CHILD0')],
          [spawn(' '), calls('spawn_agent', {}), calls('spawn_agent', { message: 'a', items: [] })],
          [calls('spawn_agent', { items: [{ type: 'text', text: 'a' }], agent_type: 'wizard' })],
          [calls('wait', { ids: [] }), calls('wait', { ids: ['x'], timeout_ms: 0 })],
          [says('Done.')],
        ],
        ...Object.fromEntries(children.map((name) => [name, [[hangs()], [hangs()]]])),
      }),
    });
    await chat.send('ROOT');
    const outputs = outputsOf(rootRequest(chat));
    const limit =
      'The agent thread limit is reached: 6 are open. Close one that is no longer needed, or do the task yourself.';
    expect(outputs.slice(6, 8)).toEqual([limit, limit]);
    expect(outputs[8]).toBe('{"status":"running"}');
    expect(agentIds(rootRequest(chat))).toHaveLength(7);
    expect(outputs.slice(10)).toEqual([
      'An agent cannot be sent an empty message.',
      'Give a message, or items.',
      'Give either message or items, not both.',
      'There is no agent "wizard". The agents are: explorer, worker, reviewer.',
      expect.stringContaining('must name at least one agent'),
      expect.stringContaining('must be more than 0'),
    ]);
  });

  it('starts no agents of agents, and says that to a model that tries', async () => {
    await using chat = await startScenario({
      agents: all,
      model: agentScript({
        ROOT: [[calls('task', { agent: 'worker', prompt: 'CHILD' })], [says('Done.')]],
        CHILD: [[spawn('deeper')], [says('Alone, then.')]],
      }),
    });
    await chat.send('ROOT');
    const child = chat.server.requests.findLast((request) => userTexts(request).includes('CHILD'));
    expect(child?.toolNames).not.toContain('spawn_agent');
    expect(child?.toolNames).not.toContain('task');
    expect(child && outputsOf(child)).toEqual([
      'An agent of this depth cannot have agents of its own. Do the task yourself.',
    ]);
  });

  it('forks the context: the agent reads what was said, without the call that starts it and its reasoning', async () => {
    await using chat = await startScenario({
      agents: all,
      model: agentScript({
        ROOT: [
          [reasons('Which word?'), says('The word is plum.')],
          [reasons('An agent.'), spawn('CHILD', { fork_context: true })],
          [says('Done.')],
        ],
        CHILD: [[says('Plum.')]],
      }),
    });
    await chat.send('ROOT');
    await chat.send('Go on.');
    await agentsEnd(chat);
    const child = chat.server.requests.find((request) => userTexts(request).includes('CHILD'));
    expect(child?.text).toContain('The word is plum.');
    expect(child?.text).not.toContain('spawn_agent","arguments');
    const types = child?.input.map(({ type }) => type).filter((type) => type !== 'message');
    expect(types).toEqual(['reasoning']);
    expect(userTexts(child ?? rootRequest(chat)).slice(-3)).toEqual(['ROOT', 'Go on.', 'CHILD']);
  });

  it('waits no longer than it should, and for the answer to the last message where it interrupts', async () => {
    const id = (request: Parameters<typeof agentIds>[0]) => agentIds(request)[0];
    let arrive = () => {};
    const childAsks = new Promise<void>((resolve) => (arrive = resolve));
    await using chat = await startScenario({
      agents: all,
      model: agentScript({
        ROOT: [
          [spawn('CHILD')],
          (request) => [calls('wait', { ids: [id(request)], timeout_ms: 10 })],
          (request) => [
            waits(childAsks),
            calls('send_input', { id: id(request), message: 'Stop that.', interrupt: true }),
          ],
          (request) => [calls('wait', { ids: [id(request)] })],
          [says('Done.')],
        ],
        CHILD: [
          () => {
            arrive();
            return [hangs()];
          },
          [says('Stopped.')],
        ],
      }),
    });
    await chat.send('ROOT');
    const outputs = outputsOf(rootRequest(chat));
    expect(JSON.parse(outputs[1] ?? '')).toEqual({ status: {}, timed_out: true });
    expect(Object.values(JSON.parse(outputs[3] ?? '').status)).toEqual([{ completed: 'Stopped.' }]);
  });

  it('stops an agent at its cap of tokens, and reports the reason to the parent', async () => {
    await using chat = await startScenario({
      agents: { ...all, maxTokens: 1_000 },
      model: agentScript({
        ROOT: [[spawn('CHILD')], (request) => [calls('wait', { ids: agentIds(request) })], [says('Done.')]],
        CHILD: [[calls('update_plan', { plan: [] }), usage({ input: 900, output: 200, total: 1_100 })]],
      }),
    });
    await chat.send('ROOT');
    expect(lastOutput(chat)).toMatchObject({
      status: {
        [chat.state.agents[0]?.agentId ?? '']: { errored: 'It was stopped after 1100 tokens; an agent may use 1000.' },
      },
    });
  });

  it('stops an agent at its cap of time, and reports the reason to the parent', async () => {
    await using chat = await startScenario({
      agents: { ...all, maxMinutes: 0.005 },
      model: agentScript({
        ROOT: [[spawn('CHILD')], (request) => [calls('wait', { ids: agentIds(request) })], [says('Done.')]],
        CHILD: [[hangs()]],
      }),
    });
    await chat.send('ROOT');
    expect(lastOutput(chat)).toMatchObject({
      status: {
        [chat.state.agents[0]?.agentId ?? '']: {
          errored: 'It was stopped after 0.005 min, the most that an agent may take.',
        },
      },
    });
  });
});
