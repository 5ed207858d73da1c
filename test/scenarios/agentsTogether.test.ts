// Sub-agents and their parent in one workspace, and after interrupts, kills and reloads.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentIds, agentScript, agentsEnd, nextEvent, outputsOf, userTexts } from '../support/agentScript.ts';
import { calls, hangs, says, waits } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const all = { tools: 'all' } as const;
const spawn = (message: string) => calls('spawn_agent', { message });
const states = ({ state }: Scenario) => state.agents.map((agent) => agent.state);

function patch(from: string, to: string): string {
  return `*** Begin Patch\n*** Update File: shared.txt\n@@\n-${from}\n+${to}\n*** End Patch`;
}

const isRollout = (name: string) => name.endsWith('.jsonl');

function requestOf({ server }: Scenario, name: string) {
  const found = server.requests.findLast((request) => userTexts(request).some((text) => text.includes(name)));
  if (found === undefined) throw new Error(`${name} has sent nothing.`);
  return found;
}

describe('agents in one workspace', () => {
  it('change the same file and the same line at once, and lose nothing', async () => {
    const names = ['ONE', 'TWO', 'THREE'] as const;
    let here = 0;
    let meet = () => {};
    const together = new Promise<void>((resolve) => (meet = resolve));
    // Each changes a line of its own, then all the same one; who comes too late adds to what is there by then.
    const work = (name: string) => [
      () => {
        if (++here === names.length) meet();
        return [waits(together), calls('apply_patch', { input: patch(`line of ${name}`, `by ${name}`) })];
      },
      [calls('apply_patch', { input: patch('common', `common ${name}`) })],
      () => {
        // The first one's text stands at the beginning of the line.
        return chat.files()['shared.txt']?.startsWith(`common ${name}`)
          ? [says('Done.')]
          : [calls('exec_command', { cmd: `flock lock sed -i 's/^common.*/& ${name}/' shared.txt` })];
      },
      [says('Done.')],
    ];
    await using chat = await startScenario({
      agents: all,
      policy: 'never',
      sandbox: 'danger-full-access',
      files: { 'shared.txt': `common\n${names.map((name) => `line of ${name}\n`).join('')}` },
      model: agentScript({
        ROOT: [names.map((name) => calls('task', { agent: 'worker', prompt: name })), [says('All done.')]],
        ...Object.fromEntries(names.map((name) => [name, work(name)])),
      }),
    });
    expect(await chat.send('ROOT')).toEqual({ type: 'turn_completed', lastMessage: 'All done.' });
    const [common = '', ...lines] = (chat.files()['shared.txt'] ?? '').trimEnd().split('\n');
    expect(lines).toEqual(names.map((name) => `by ${name}`));
    expect(common.split(' ').toSorted()).toEqual(['ONE', 'THREE', 'TWO', 'common']);
  });

  it('are stopped by an interrupt of the root thread, which can go on with them', async () => {
    await using chat = await startScenario({
      agents: all,
      model: agentScript({
        ROOT: [
          [spawn('ONE'), spawn('TWO')],
          [hangs()],
          (request) => [calls('send_input', { id: agentIds(request)[0], message: 'Go on.' })],
          (request) => [calls('wait', { ids: [agentIds(request)[0]] })],
          [says('Done.')],
        ],
        ONE: [[hangs()], [says('Went on.')]],
        TWO: [[hangs()]],
      }),
    });
    const ended = chat.send('ROOT');
    await chat.server.received(4);
    chat.service.live.submit(chat.session.threadId, { type: 'interrupt' });
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    expect(states(chat)).toEqual(['interrupted', 'interrupted']);
    expect(await chat.send('Continue.')).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    const notices = userTexts(requestOf(chat, 'ROOT')).filter((text) => text.startsWith('<subagent_notification>'));
    expect(notices.map((text) => JSON.parse(text.split('\n')[1] ?? '').status)).toEqual([
      { errored: 'Interrupted' },
      { errored: 'Interrupted' },
    ]);
    expect(states(chat)).toEqual(['completed', 'interrupted']);
  });

  it('are stopped by an answer that stops their root thread', async () => {
    await using chat = await startScenario({
      agents: all,
      policy: 'untrusted',
      model: agentScript({ ROOT: [[spawn('CHILD'), calls('exec_command', { cmd: 'touch x' })]], CHILD: [[hangs()]] }),
    });
    const ended = chat.send('ROOT');
    await chat.next('approval_requested');
    await chat.answer('abort');
    await ended;
    await agentsEnd(chat);
    expect(states(chat)).toEqual(['interrupted']);
  });

  it('are reported once, also when the thread is compacted and opened again', async () => {
    const chat = await startScenario({
      agents: all,
      model: agentScript({
        ROOT: [[spawn('CHILD')], [says('Started.')], [says('I see.')], [says('What happened.')]],
        CHILD: [[says('Found.')]],
      }),
    });
    await chat.send('ROOT');
    await agentsEnd(chat);
    await chat.send('And?');
    expect(userTexts(chat.server.lastRequest).join('\n')).toContain('subagent_notification');
    const compacted = chat.turnEnds();
    chat.submit({ type: 'compact' });
    await compacted;
    await chat.service.live.close(chat.session.threadId, 'suspend');
    await using again = await startScenario({ agents: all, resume: chat, model: [[says('Yes.')]] });
    await again.send('And now?');
    expect(userTexts(again.server.lastRequest).join('\n')).not.toContain('subagent_notification');
    await chat.server.close();
  });

  it('are listed with background processes behind the summary of a compaction, by the ids that calls need', async () => {
    const start = [
      spawn('CHILD'),
      spawn('OTHER'),
      calls('exec_command', { cmd: 'exec sleep 300 # server', yield_time_ms: 250 }),
    ];
    await using chat = await startScenario({
      agents: all,
      policy: 'never',
      sandbox: 'danger-full-access',
      model: agentScript({
        ROOT: [
          start,
          (request) => [calls('close_agent', { id: agentIds(request)[1] })],
          [says('Started.')],
          [says('What happened.')],
          [says('Going on.')],
        ],
        CHILD: [[hangs()]],
        OTHER: [[hangs()]],
      }),
    });
    await chat.send('ROOT');
    const started = outputsOf(chat.server.lastRequest);
    const sessionId = /session ID (\d+)/.exec(started[2] ?? '')?.[1];
    const compacted = chat.turnEnds();
    chat.submit({ type: 'compact' });
    await compacted;
    await chat.send('Go on.');
    const work = userTexts(chat.server.lastRequest).find((text) => text.startsWith('<open_work>'));
    expect(work?.split('\n').filter((line) => line.startsWith('- '))).toEqual([
      `- process with session ID ${sessionId} (running): exec sleep 300 # server`,
      `- agent ${JSON.parse(started[0] ?? '').agent_id} (default, running): CHILD`,
    ]);
  });

  it.each([
    ['the parent is stopped', 'turn_aborted', async (stop: () => Promise<void>) => stop()],
    ['the disk is full', 'turn_completed', async () => expect.fail('ENOSPC')],
  ])('are not started when %s while their side copy is being assigned', async (_case, end, whileAssigned) => {
    let isDiscarded = false;
    const copy = async (cwd: string) => ({
      cwd,
      folders: [],
      assign: () => whileAssigned(stop),
      discard: async () => {
        isDiscarded = true;
      },
    });
    await using chat = await startScenario({
      agents: { ...all, sideCopies: 'parallel' },
      host: { makeSideCopy: copy },
      model: agentScript({ ROOT: [[spawn('FIRST'), spawn('SECOND')], [says('Ok.')]], FIRST: [[hangs()]] }),
    });
    const stop = async () => {
      chat.service.live.submit(chat.session.threadId, { type: 'interrupt' });
      const isTitled = chat.next('title_changed');
      chat.submit({ type: 'set_title', title: 'Stopped' });
      await isTitled;
    };
    expect((await chat.send('ROOT')).type).toBe(end);
    expect(chat.state.agents.map(({ description }) => description)).toEqual(['FIRST']);
    expect(isDiscarded).toBe(true);
    expect(chat.service.live.states).toHaveLength(2);
  });

  it('are closed when the turn that started them is rolled back', async () => {
    await using chat = await startScenario({
      agents: all,
      model: agentScript({ ROOT: [[spawn('CHILD')], [says('Started.')]], CHILD: [[hangs()]], AGAIN: [[says('Yes.')]] }),
    });
    await chat.send('ROOT');
    const [message] = chat.items('user_message');
    chat.submit({ type: 'rollback', toItemId: message?.id ?? '', files: false, conversation: true });
    await chat.session.idle();
    expect(states(chat)).toEqual(['shutdown']);
    expect(chat.service.live.states).toHaveLength(1);
    await chat.send('AGAIN');
    expect(userTexts(chat.server.lastRequest).at(-1)).toBe('AGAIN');
    expect(userTexts(chat.server.lastRequest).join('\n')).not.toContain('subagent_notification');
  });

  it('take a hundred turns of the user, of which their parent reads the last answer once', async () => {
    const turns = 100;
    await using chat = await startScenario({
      agents: all,
      model: agentScript({
        ROOT: [[spawn('CHILD')], [says('Started.')], [says('I see.')]],
        CHILD: Array.from({ length: turns + 1 }, (_, index) => [says(`Answer ${index}.`)]),
      }),
    });
    await chat.send('ROOT');
    await agentsEnd(chat);
    const { agentId = '' } = chat.state.agents[0] ?? {};
    for (let turn = 0; turn < turns; turn++) {
      const ended = nextEvent(chat, ({ threadId, msg }) => threadId === agentId && msg.type === 'turn_completed');
      chat.service.live.submit(agentId, { type: 'user_turn', input: [{ type: 'text', text: `Message ${turn}` }] });
      await ended;
    }
    await chat.send('And?');
    const notices = userTexts(requestOf(chat, 'And?')).filter((text) => text.startsWith('<subagent_notification>'));
    expect(notices.map((text) => JSON.parse(text.split('\n')[1] ?? '').status)).toEqual([
      { completed: `Answer ${turns}.` },
    ]);
    const opened = await chat.service.catalog.read(agentId);
    expect(opened.type === 'reader' && opened.reader.thread.state.turns.length).toBe(turns + 1);
    expect(chat.state.turns).toHaveLength(2);
  });

  it('are not started when their parent is stopped during the call that starts them', async () => {
    let arrive = () => {};
    const spawning = new Promise<void>((resolve) => (arrive = resolve));
    let release = () => {};
    const isStopped = new Promise<void>((resolve) => (release = resolve));
    let isSpawning = false;
    await using chat = await startScenario({
      agents: all,
      model: agentScript({
        ROOT: [
          () => {
            isSpawning = true;
            return [spawn('CHILD')];
          },
        ],
      }),
      deps: ({ workspace }) => {
        // Looks for the repository of the agent.
        const stat = async (file: string) => {
          if (isSpawning && path.basename(file) === '.git') {
            arrive();
            await isStopped;
          }
          return workspace.stat(file);
        };
        return { workspace: Object.assign(Object.create(workspace), { stat }) };
      },
    });
    const ended = chat.send('ROOT');
    await spawning;
    const isTitled = chat.next('title_changed');
    chat.submit({ type: 'interrupt' });
    chat.submit({ type: 'set_title', title: 'Stopped' });
    await isTitled;
    release();
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    expect(chat.state.agents).toEqual([]);
    expect(chat.service.live.sessions).toEqual([chat.session]);
    expect(readdirSync(chat.home.at('threads'), { recursive: true, encoding: 'utf8' }).filter(isRollout)).toHaveLength(
      1,
    );
  });

  it.each(['suspended', 'killed'])('continue when their thread was %s: reported, resumed and messaged', async (how) => {
    await using before = await startScenario({
      agents: all,
      model: agentScript({
        ROOT: [[spawn('ONE'), spawn('TWO')], [says('Started.')]],
        ONE: [[hangs()]],
        TWO: [[says('Two.')]],
      }),
    });
    await before.send('ROOT');
    await before.server.received(4);
    while (states(before).join() !== 'running,completed') await before.next('agent_status');
    const { threadId } = before.session;
    // A killed process writes nothing more, and neither does a suspended session.
    if (how === 'suspended') await before.service.live.close(threadId, 'suspend');
    else for (const session of before.service.live.sessions.toReversed()) await session.suspend();

    await using chat = await startScenario({
      agents: all,
      resume: before,
      model: agentScript({
        'And now?': [
          (request) => [calls('send_input', { id: agentIds(request)[0], message: 'Go on.' })],
          (request) => [calls('resume_agent', { id: agentIds(request)[0] })],
          (request) => [calls('send_input', { id: agentIds(request)[0], message: 'Go on.' })],
          (request) => [calls('wait', { ids: [agentIds(request)[0]] })],
          [says('Done.')],
        ],
        ONE: [[says('One.')]],
      }),
    });
    expect(states(chat)).toEqual(['interrupted', 'completed']);
    expect(await chat.send('And now?')).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    const request = requestOf(chat, 'And now?');
    const notices = userTexts(request).filter((text) => text.startsWith('<subagent_notification>'));
    expect(notices.map((text) => JSON.parse(text.split('\n')[1] ?? '').status)).toEqual([
      { errored: 'Interrupted' },
      { completed: 'Two.' },
    ]);
    const [id] = agentIds(request);
    const outputs = outputsOf(request).slice(2);
    expect(outputs[0]).toBe(`The agent ${id} is closed. Open it with resume_agent first.`);
    expect(JSON.parse(outputs[3] ?? '')).toEqual({ status: { [id ?? '']: { completed: 'One.' } }, timed_out: false });
  });

  it('keep what they were started as when they are opened again: an explorer stays read-only', async () => {
    await using chat = await startScenario({
      agents: all,
      policy: 'never',
      sandbox: 'danger-full-access',
      model: agentScript({
        ROOT: [
          [calls('spawn_agent', { message: 'CHILD', agent_type: 'explorer' })],
          (request) => [calls('wait', { ids: agentIds(request) })],
          (request) => [calls('close_agent', { id: agentIds(request)[0] })],
          (request) => [calls('resume_agent', { id: agentIds(request)[0] })],
          (request) => [calls('send_input', { id: agentIds(request)[0], message: 'More?' })],
          (request) => [calls('wait', { ids: agentIds(request) })],
          [says('Done.')],
        ],
        CHILD: [[says('First.')], [says('Second.')]],
      }),
    });
    await chat.send('ROOT');
    const child = requestOf(chat, 'More?');
    expect(child.toolNames).not.toContain('apply_patch');
    const turn = await readSettings(chat);
    expect(turn.map(({ type }) => type)).toEqual(['read-only', 'read-only']);
  });

  it('change nothing in plan mode, in which their parent writes the plan', async () => {
    await using chat = await startScenario({
      agents: all,
      policy: 'never',
      sandbox: 'danger-full-access',
      files: { 'shared.txt': 'one\n' },
      model: agentScript({
        ROOT: [
          [calls('spawn_agent', { message: 'CHILD' })],
          (request) => [calls('wait', { ids: agentIds(request) })],
          [says('No plan.')],
          (request) => [calls('send_input', { id: agentIds(request)[0], message: 'Now you may.' })],
          (request) => [calls('wait', { ids: agentIds(request) })],
          [says('Done.')],
        ],
        CHILD: [
          [calls('apply_patch', { input: patch('one', 'two') })],
          [says('I could not.')],
          [calls('apply_patch', { input: patch('one', 'two') })],
          [says('I could.')],
        ],
      }),
    });
    chat.submit({ type: 'override_turn_context', planMode: true });
    await chat.send('ROOT');
    expect(chat.files()).toEqual({ 'shared.txt': 'one\n' });
    const child = requestOf(chat, 'CHILD');
    expect(outputsOf(child)).toEqual([expect.stringContaining('plan mode')]);
    expect(child.text).not.toContain('<plan_mode>');
    chat.submit({ type: 'override_turn_context', planMode: false });
    await chat.send('Go on.');
    expect(chat.files()).toEqual({ 'shared.txt': 'two\n' });
  });

  it('begin anew under the permissions of their parent when it sends input to one that works', async () => {
    await using chat = await startScenario({
      agents: all,
      policy: 'never',
      sandbox: 'danger-full-access',
      files: { 'shared.txt': 'one\n' },
      model: agentScript({
        ROOT: [
          [spawn('CHILD')],
          [says('Started.')],
          (request) => [calls('send_input', { id: agentIds(request)[0], message: 'Only look.' })],
          (request) => [calls('wait', { ids: agentIds(request) })],
          [says('A plan.')],
        ],
        CHILD: [[hangs()], [calls('apply_patch', { input: patch('one', 'two') })], [says('I could not.')]],
      }),
    });
    await chat.send('ROOT');
    await chat.server.received(3);
    chat.submit({ type: 'override_turn_context', planMode: true });
    expect(await chat.send('Plan.')).toEqual({ type: 'turn_completed', lastMessage: 'A plan.' });
    expect(outputsOf(requestOf(chat, 'Only look.'))).toEqual([expect.stringContaining('plan mode')]);
    expect(chat.files()).toEqual({ 'shared.txt': 'one\n' });
    expect(states(chat)).toEqual(['completed']);
  });

  it('ask under the policy that their parent has by then', async () => {
    await using chat = await startScenario({
      agents: all,
      sandbox: 'danger-full-access',
      policy: 'never',
      model: agentScript({
        ROOT: [
          [spawn('CHILD')],
          [says('Started.')],
          (request) => [calls('send_input', { id: agentIds(request)[0], message: 'Write.' })],
          (request) => [calls('wait', { ids: agentIds(request) })],
          [says('Done.')],
        ],
        CHILD: [[says('Ready.')], [calls('exec_command', { cmd: 'echo x > made.txt' })], [says('Not allowed.')]],
      }),
    });
    await chat.send('ROOT');
    await agentsEnd(chat);
    chat.submit({
      type: 'override_turn_context',
      policy: 'on-request',
      box: { type: 'read-only', networkAccess: false },
    });
    const ended = chat.send('Now.');
    const { msg } = await nextEvent(chat, (event) => event.msg.type === 'approval_requested');
    if (msg.type !== 'approval_requested') throw new Error('Another event.');
    chat.submit({ type: 'approval', approvalIds: [msg.approvalId], decision: { denied: { message: 'No.' } } });
    await ended;
    expect(chat.files()).toEqual({});
  });
});

/** The sandbox policies of the turns of all sub-agents. */
async function readSettings(chat: Scenario) {
  const { catalog } = chat.service;
  const [agent] = chat.state.agents;
  const opened = await catalog.read(agent?.agentId ?? '');
  if (opened.type !== 'reader') throw new Error('The agent has no rollout.');
  return opened.reader.thread.state.turns.map(({ settings }) => settings.sandboxPolicy);
}
