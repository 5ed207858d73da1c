// An undo of a turn takes the changes of the sub-agents along that the turn has started.
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventMsgOf, EventMsgType } from '../../src/protocol/event.ts';
import type { Op } from '../../src/protocol/op.ts';
import { agentIds, agentScript, agentsEnd, nextEvent } from '../support/agentScript.ts';
import { fileGate } from '../support/fileGate.ts';
import { calls, says, waits } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { windowBeside } from '../support/windowBeside.ts';

const FULL = { policy: 'never', sandbox: 'danger-full-access' } as const;
const run = (cmd: string) => calls('exec_command', { cmd });
const task = (prompt: string, description = `do ${prompt}`) => calls('task', { agent: 'worker', prompt, description });
const patch = (text: string) => calls('apply_patch', { input: `*** Begin Patch\n${text}*** End Patch\n` });

/** Submits and returns the first event of that kind. */
async function ask<Type extends EventMsgType>(chat: Scenario, op: Op, type: Type): Promise<EventMsgOf<Type>> {
  const answer = chat.next(type);
  chat.submit(op);
  return answer;
}

const turnIdOf = (chat: Scenario, index = 0) => chat.state.turns[index]?.id ?? '';

const FILES = { 'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\n', 'b.txt': 'b\n', 'c.txt': 'c\n' };

/** The thread and its agent change `a.txt`, each after the other; the agent also changes `b.txt`, and makes a folder. */
const both = () =>
  agentScript({
    ROOT: [
      [patch('*** Update File: a.txt\n@@\n-one\n+ONE\n two\n')],
      [task('CHILD')],
      [run('sed -i s/five/FIVE/ a.txt; rm c.txt')],
      [says('Done.')],
    ],
    CHILD: [
      [patch('*** Update File: a.txt\n@@\n-three\n+THREE\n four\n')],
      [run('echo B > b.txt; mkdir new; echo d > new/d.txt; sed -i s/ONE/One/ a.txt')],
      [says('Written.')],
    ],
  });

describe('undo of a turn that has started sub-agents', () => {
  it('reverts all of their changes with its own in one step, and redo makes all again', async () => {
    await using chat = await startScenario({ ...FULL, files: FILES, model: both() });
    await chat.send('ROOT');
    const changed = chat.files();
    assert.equal(changed['a.txt'], 'One\ntwo\nTHREE\nfour\nFIVE\nsix\n');
    const turnId = turnIdOf(chat);
    const planned = await ask(chat, { type: 'undo', turnId, preview: true }, 'revert_planned');
    assert.deepEqual(
      planned.files.map(({ path, kind, state, agents }) => ({ path, kind, state, agents })),
      [
        { path: 'a.txt', kind: 'update', state: 'ready', agents: ['do CHILD'] },
        { path: 'b.txt', kind: 'update', state: 'ready', agents: ['do CHILD'] },
        { path: 'c.txt', kind: 'add', state: 'ready', agents: undefined },
        { path: 'new/d.txt', kind: 'delete', state: 'ready', agents: ['do CHILD'] },
      ],
    );
    assert.deepEqual(chat.files(), changed);
    const undone = await ask(chat, { type: 'undo', turnId }, 'files_reverted');
    assert.deepEqual(undone, {
      type: 'files_reverted',
      turnId,
      direction: 'undo',
      paths: ['a.txt', 'b.txt', 'c.txt', 'new/d.txt'],
      skipped: [],
    });
    assert.deepEqual(chat.files(), FILES);
    assert.equal(chat.state.turns[0]?.reverted, true);
    const redone = await ask(chat, { type: 'redo' }, 'files_reverted');
    assert.equal(redone.paths.length, 4);
    assert.deepEqual(chat.files(), changed);
    await ask(chat, { type: 'undo', turnId }, 'files_reverted');
    assert.deepEqual(chat.files(), FILES);
  });

  it('of agents alone is one of the turn, also of agents of agents and after the thread was opened again', async () => {
    const first = await startScenario({
      ...FULL,
      files: FILES,
      agents: { maxDepth: 2 },
      model: agentScript({
        ROOT: [[task('CHILD')], [says('Done.')]],
        CHILD: [[run('echo 2 > b.txt')], [task('GRANDSON')], [says('Written.')]],
        GRANDSON: [[run('echo 3 >> b.txt; rm c.txt')], [says('Removed.')]],
      }),
    });
    await first.send('ROOT');
    assert.deepEqual([first.files()['b.txt'], first.files()['c.txt']], ['2\n3\n', undefined]);
    await first[Symbol.asyncDispose]();
    await using chat = await startScenario({ ...FULL, model: [], resume: first });
    const turnId = turnIdOf(chat);
    const undone = await ask(chat, { type: 'undo', turnId }, 'files_reverted');
    assert.deepEqual(undone.paths, ['b.txt', 'c.txt']);
    assert.deepEqual(chat.files(), FILES);
    const nothing = await ask(chat, { type: 'undo', turnId, preview: true }, 'revert_planned');
    assert.deepEqual(nothing.files, []);
    await ask(chat, { type: 'redo' }, 'files_reverted');
    assert.equal(chat.files()['c.txt'], undefined);
  });

  it('names conflicts with later changes of the user, and undoes the rest', async () => {
    await using chat = await startScenario({ ...FULL, files: FILES, model: both() });
    await chat.send('ROOT');
    chat.write('b.txt', 'mine\n');
    chat.write('a.txt', 'One\ntwo\nTHREE\nfour\nFIVE\nsix\nmine\n');
    const undone = await ask(chat, { type: 'undo', turnId: turnIdOf(chat) }, 'files_reverted');
    assert.deepEqual(
      undone.skipped.map(({ path }) => path),
      ['b.txt'],
    );
    assert.deepEqual(chat.files(), { ...FILES, 'a.txt': `${FILES['a.txt']}mine\n`, 'b.txt': 'mine\n' });
  });

  it('leaves out what the user has undone in the thread of the agent, which shows what was undone with the turn', async () => {
    await using chat = await startScenario({
      ...FULL,
      files: FILES,
      agents: { tools: 'all' },
      model: agentScript({
        ROOT: [
          [run('echo root > c.txt')],
          [calls('spawn_agent', { message: 'CHILD', agent_type: 'worker' })],
          (request) => [calls('wait', { ids: agentIds(request) })],
          [says('Done.')],
        ],
        CHILD: [[run('echo agent > b.txt')], [says('Written.')]],
      }),
    });
    await chat.send('ROOT');
    const [agentId = ''] = chat.state.agents.map((agent) => agent.agentId);
    const agent = () => chat.service.live.get(agentId);
    const inAgent = async (op: Op) => {
      agent()?.session.submit({ id: 'test', op });
      await agent()?.session.idle();
    };
    await inAgent({ type: 'undo', turnId: agent()?.state.turns[0]?.id ?? '' });
    assert.equal(chat.files()['b.txt'], 'b\n');
    chat.write('b.txt', 'agent\n');
    const first = await ask(chat, { type: 'undo', turnId: turnIdOf(chat) }, 'files_reverted');
    assert.deepEqual([first.paths, chat.files()['b.txt']], [['c.txt'], 'agent\n']);
    await ask(chat, { type: 'redo' }, 'files_reverted');
    await inAgent({ type: 'redo' });
    assert.equal(agent()?.state.turns[0]?.reverted, false);
    const second = await ask(chat, { type: 'undo', turnId: turnIdOf(chat) }, 'files_reverted');
    assert.deepEqual(second.paths, ['b.txt', 'c.txt']);
    assert.equal(agent()?.state.turns[0]?.reverted, true);
    await inAgent({ type: 'redo' });
    const warnings = agent()?.state.warnings.map(({ message }) => message);
    assert.match(warnings?.at(-1) ?? '', /^It was undone with a turn of the thread that has started this agent/);
    assert.deepEqual(chat.files(), FILES);
  });

  it('is refused while such an agent works, with its name; then it takes what the agent has done until it was stopped', async () => {
    await using chat = await startScenario({
      ...FULL,
      files: FILES,
      agents: { tools: 'all' },
      model: agentScript({
        ROOT: [[calls('spawn_agent', { message: 'CHILD', agent_type: 'worker' })], [says('It works.')]],
        CHILD: [[run('echo agent > b.txt')], [waits(60_000)]],
      }),
    });
    const written = nextEvent(chat, ({ msg }) => msg.type === 'files_changed');
    await chat.send('ROOT');
    await written;
    const { live } = chat.service;
    const turnId = turnIdOf(chat);
    const { message } = await ask(chat, { type: 'undo', turnId }, 'warning');
    assert.equal(message, 'The agent “CHILD” of this turn still works: stop it, or wait for its end, and try again.');
    assert.equal(chat.files()['b.txt'], 'agent\n');
    live.submit(chat.session.threadId, { type: 'interrupt' });
    const undone = await ask(chat, { type: 'undo', turnId }, 'files_reverted');
    assert.deepEqual(undone.paths, ['b.txt']);
    await agentsEnd(chat);
  });

  it('is refused while another process works in the thread of such an agent, and names both', async () => {
    await using chat = await startScenario({ ...FULL, files: FILES, model: both() });
    await chat.send('ROOT');
    const changed = chat.files();
    const [agentId = ''] = chat.state.agents.map((agent) => agent.agentId);
    const [settings, host] = chat.thread;
    const opened = await windowBeside(chat).resume({ id: agentId }, settings, host);
    assert.ok(opened.type === 'resumed');
    const turnId = turnIdOf(chat);
    try {
      const { message } = await ask(chat, { type: 'undo', turnId }, 'warning');
      assert.match(message, /^The agent “do CHILD” of this turn is open in another process \(.+\): close it there/);
      assert.deepEqual(chat.files(), changed);
    } finally {
      await opened.session.suspend();
    }
    await ask(chat, { type: 'undo', turnId }, 'files_reverted');
    assert.deepEqual(chat.files(), FILES);
  });

  it('of an earlier turn leaves what an agent has done for a later one, and for the user', async () => {
    await using chat = await startScenario({
      ...FULL,
      files: FILES,
      agents: { tools: 'all' },
      model: agentScript({
        ROOT: [
          [calls('spawn_agent', { message: 'CHILD', agent_type: 'worker' })],
          (request) => [calls('wait', { ids: agentIds(request) })],
          [says('One.')],
          (request) => [calls('send_input', { id: agentIds(request)[0], message: 'More.' })],
          (request) => [calls('wait', { ids: agentIds(request) })],
          [says('Two.')],
        ],
        CHILD: [
          [run('echo 1 > b.txt')],
          [says('Written.')],
          [run('echo 2 > c.txt')],
          [says('Written.')],
          [run('echo 3 > a.txt')],
          [says('Written.')],
        ],
      }),
    });
    await chat.send('ROOT');
    await chat.send('Go on.');
    const [agentId = ''] = chat.state.agents.map((agent) => agent.agentId);
    const agent = chat.service.live.get(agentId)?.session;
    agent?.submit({ id: 'of the user', op: { type: 'user_turn', input: [{ type: 'text', text: 'And a.txt.' }] } });
    await agent?.idle();
    assert.deepEqual(chat.files(), { 'a.txt': '3\n', 'b.txt': '1\n', 'c.txt': '2\n' });
    await ask(chat, { type: 'undo', turnId: turnIdOf(chat) }, 'files_reverted');
    assert.deepEqual(chat.files(), { 'a.txt': '3\n', 'b.txt': 'b\n', 'c.txt': '2\n' });
    await ask(chat, { type: 'undo', turnId: turnIdOf(chat, 1) }, 'files_reverted');
    assert.deepEqual(chat.files(), { 'a.txt': '3\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
    assert.equal(readFileSync(chat.folder.at('a.txt'), 'utf8'), '3\n');
  });

  it.each(['crash', 'reload'] as const)(
    'takes what an agent had changed when a %s cut off its command',
    async (end) => {
      const gate = fileGate(path.join(tempFolder().path, 'changed'));
      const first = await startScenario({
        ...FULL,
        files: FILES,
        model: agentScript({
          ROOT: [[task('CHILD')], [says('Done.')]],
          CHILD: [[run(`rm b.txt; touch ${gate.file}; sleep 60`)], [says('Removed.')]],
        }),
      });
      first.submit({ type: 'user_turn', input: [{ type: 'text', text: 'ROOT' }] });
      await gate.opened();
      using home = tempFolder();
      if (end === 'crash') {
        // As a killed process leaves it, and without its locks.
        cpSync(first.home.path, home.path, { recursive: true, filter: (file) => path.basename(file) !== 'locks' });
        await first[Symbol.asyncDispose]();
      } else {
        await first.service.live.closeAll('suspend');
        await first.server.close();
      }
      const resume: Scenario = end === 'crash' ? Object.create(first, { home: { value: home } }) : first;
      await using chat = await startScenario({ ...FULL, model: [], resume });
      const undo: Op = { type: 'undo', turnId: turnIdOf(chat), includeUncertain: true };
      assert.deepEqual((await ask(chat, undo, 'files_reverted')).paths, ['b.txt']);
      assert.deepEqual(chat.files(), FILES);
    },
  );

  it('comes with a rewind of files and conversation', async () => {
    await using chat = await startScenario({ ...FULL, files: FILES, model: both() });
    await chat.send('ROOT');
    const [message] = chat.items('user_message');
    const op = { type: 'rollback', toItemId: message?.id ?? '', files: true, conversation: true } as const;
    await ask(chat, op, 'turns_rolled_back');
    assert.deepEqual([chat.files(), chat.state.turns], [FILES, []]);
  });

  it('of the conversation closes the agents that its turns have left open', async () => {
    await using chat = await startScenario({
      ...FULL,
      agents: { tools: 'all' },
      model: agentScript({
        ROOT: [[calls('spawn_agent', { message: 'CHILD', agent_type: 'worker' })], [says('It works.')]],
        CHILD: [[says('Done.')]],
      }),
    });
    await chat.send('ROOT');
    await agentsEnd(chat);
    const agents = () => chat.service.live.states.filter(({ threadId }) => threadId !== chat.session.threadId).length;
    assert.equal(agents(), 1);
    const [message] = chat.items('user_message');
    const op = { type: 'rollback', toItemId: message?.id ?? '', files: false, conversation: true } as const;
    await ask(chat, op, 'turns_rolled_back');
    await expect.poll(agents).toBe(0);
  });
});
