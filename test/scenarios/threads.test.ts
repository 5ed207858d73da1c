/** Several threads: listed, shown, handed over and taken over. Two services on one TILLER_HOME stand for two windows. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AgentService } from '../../src/core/agent/agentService.ts';
import { createStorage } from '../../src/node/storage/storage.ts';
import { calls, hangs, says } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';
import { windowBeside } from '../support/windowBeside.ts';

function say(chat: Scenario, text: string): void {
  chat.submit({ type: 'user_turn', input: [{ type: 'text', text }] });
}

const update = (from: string, to: string) =>
  calls('apply_patch', { input: `*** Begin Patch\n*** Update File: a.txt\n@@\n-${from}\n+${to}\n*** End Patch` });

describe('the list of threads', () => {
  it('names the state and the owner of each thread', async () => {
    await using chat = await startScenario({ model: [[calls('exec_command', { cmd: 'touch x' })], [says('Done.')]] });
    const ended = chat.turnEnds();
    const asked = chat.next('approval_requested');
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'make x\nplease' }] });
    await asked;
    const other = windowBeside(chat);
    const id = chat.session.threadId;
    const look = async (service: AgentService) => {
      const [entry] = await service.catalog.list([chat.folder.path]);
      return [entry?.id, entry?.title, entry?.status, entry?.owner, entry?.place];
    };
    expect(await look(chat.service)).toEqual([id, 'make x', 'waiting', 'this_process', 'here']);
    expect(await look(other)).toEqual([id, 'make x', 'waiting', 'another_process', 'here']);
    await chat.answer('approved');
    await ended;
    await chat.session.dispose();
    expect(await look(other)).toEqual([id, 'make x', 'resting', 'nobody', 'here']);
  });

  it('finds a thread whose folder has moved, by its git remote', async () => {
    await using chat = await startScenario({
      files: {
        'old/.git/HEAD': 'ref: refs/heads/main\n',
        'old/.git/config': '[remote "origin"]\n\turl = git@host:me/it.git\n',
      },
      model: [[says('Hello.')], [says('Here?')]],
    });
    const [settings, host] = chat.thread;
    const inOld = { ...settings, turn: { ...settings.turn, cwd: chat.folder.at('old') } };
    const session = await chat.service.start(inOld, host);
    session.start();
    session.submit({ id: '1', op: { type: 'user_turn', input: [{ type: 'text', text: 'hi' }] } });
    await session.idle();
    await session.dispose();
    const other = windowBeside(chat);
    const placeIn = async (folder: string) => (await other.catalog.list([chat.folder.at(folder)]))[0]?.place;
    expect([await placeIn('old'), await placeIn('elsewhere')]).toEqual(['here', 'elsewhere']);
    mkdirSync(chat.folder.at('clone/.git'), { recursive: true });
    writeFileSync(chat.folder.at('clone/.git/HEAD'), 'ref: refs/heads/x\n');
    writeFileSync(chat.folder.at('clone/.git/config'), '[remote "up"]\nurl = https://me:key@HOST/me/it\n');
    expect(await placeIn('clone')).toBe('elsewhere');
    renameSync(chat.folder.at('old'), chat.folder.at('new'));
    expect([await placeIn('clone'), await placeIn('new')]).toEqual(['moved', 'moved']);

    const inNew = { ...settings, turn: { ...settings.turn, cwd: chat.folder.at('new') } };
    const resumed = await chat.service.resume({ id: session.threadId }, inNew, host);
    if (resumed.type !== 'resumed') throw new Error(resumed.type);
    resumed.session.start();
    resumed.session.submit({ id: '2', op: { type: 'user_turn', input: [{ type: 'text', text: 'and now?' }] } });
    await resumed.session.idle();
    await resumed.session.dispose();
    expect(JSON.stringify(chat.server.lastRequest.input)).toContain(`<cwd>${chat.folder.at('new')}</cwd>`);
  });

  it('marks threads that ended after they were last shown', async () => {
    await using chat = await startScenario({ model: [[says('One.')], [says('Two.')]] });
    const { catalog } = chat.service;
    const unread = async () => (await catalog.list([]))[0]?.unread;
    await chat.send('one');
    expect(await unread()).toBe(false);
    await catalog.markSeen(chat.session.threadId);
    expect(await unread()).toBe(false);
    await chat.send('two');
    expect(await unread()).toBe(true);
    expect((await windowBeside(chat).catalog.list([]))[0]?.unread).toBe(true);
    await catalog.markSeen(chat.session.threadId);
    expect(await unread()).toBe(false);
  });

  it('lists pins that another window has set', async () => {
    await using chat = await startScenario({ model: [[says('One.')]] });
    await chat.send('one');
    const pinned = async () => (await chat.service.catalog.list([]))[0]?.pinned;
    expect(await pinned()).toBe(false);
    await windowBeside(chat).catalog.pin(chat.session.threadId, true);
    expect(await pinned()).toBe(true);
  });

  it('names a thread that no process owns', async () => {
    await using chat = await startScenario({ model: [[says('One.')]] });
    await chat.send('one');
    const { threadId } = chat.session;
    const { catalog } = windowBeside(chat);
    expect(await catalog.rename(threadId, 'Mine')).toMatchObject({ type: 'owned', owner: { pid: process.pid } });
    await chat.session.dispose();
    expect(await catalog.rename(threadId, 'Mine')).toEqual({ type: 'done' });
    expect(await catalog.rename('nobody', 'Mine')).toEqual({ type: 'missing' });
    expect((await catalog.list([]))[0]?.title).toBe('Mine');
    await using second = await startScenario({ resume: chat, model: [] });
    expect(second.state.title).toBe('Mine');
  });
});

describe('the last thread', () => {
  it('is the newest that has a message; earlier ones are not read', async () => {
    const looked = new Set<string>();
    await using chat = await startScenario({
      model: [[says('One.')]],
      deps: ({ storage }) => ({
        storage: {
          ...storage,
          readBytes: (path, ...range) => {
            looked.add(path);
            return storage.readBytes(path, ...range);
          },
        },
      }),
    });
    await chat.send('one');
    const { threadId } = chat.session;
    await chat.session.dispose();
    const storage = createStorage(chat.home.path);
    const nothing = 'threads/2099/01/01/rollout-2099-01-01T00-00-00-empty.jsonl';
    await storage.writeText(nothing, '');
    for (let day = 1; day < 5; day++) {
      await storage.writeText(`threads/2001/01/0${day}/rollout-2001-01-0${day}T00-00-00-old.jsonl`, 'old');
    }
    const resumed = await chat.service.resume('last', ...chat.thread);
    if (resumed.type !== 'resumed') throw new Error(resumed.type);
    expect(resumed.session.threadId).toBe(threadId);
    expect([...looked]).toEqual([nothing, expect.stringContaining(threadId)]);
    await resumed.session.dispose();
  });
});

describe('a resumed thread', () => {
  it('with a new name or setting keeps it without a further message', async () => {
    await using first = await startScenario({ model: [[says('One.')]] });
    await first.send('one');
    await first.session.dispose();
    await using second = await startScenario({ resume: first, model: [] });
    second.submit({ type: 'set_title', title: 'Mine' });
    second.submit({ type: 'override_turn_context', policy: 'never' });
    await second.session.dispose();
    await using third = await startScenario({ resume: first, model: [] });
    expect([third.state.title, third.state.settings?.approvalPolicy]).toEqual(['Mine', 'never']);
  });
});

describe('a thread that another window owns', () => {
  it('is not opened a second time', async () => {
    await using chat = await startScenario({ model: [[hangs()]] });
    const heard = chat.next('item_completed');
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await heard;
    const resumed = await windowBeside(chat).resume('last', ...chat.thread);
    expect(resumed).toEqual({ type: 'owned', owner: { pid: process.pid, name: 'cli', since: expect.any(String) } });
  });

  it('is taken over when its owner agrees, and continues where it was', async () => {
    const taken: string[] = [];
    await using first = await startScenario({
      model: [[calls('exec_command', { cmd: 'echo x > made.txt' })]],
      host: { allowsTakeOver: async () => true },
    });
    first.service.onTaken((id) => taken.push(id));
    const asked = first.next('approval_requested');
    first.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await asked;
    const other = windowBeside(first);
    const resumed = await other.takeOver(first.session.threadId, ...first.thread);
    if (resumed.type !== 'resumed') throw new Error(resumed.type);
    expect(taken).toEqual([first.session.threadId]);
    expect(resumed.session.initialState.approvals).toHaveLength(1);
    first.submit({ type: 'set_title', title: 'too late' });
    await resumed.session.dispose();
    expect((await other.catalog.list([]))[0]?.title).toBe('go');
  });

  it('is asked for again after the question could not be shown', async () => {
    let questions = 0;
    await using first = await startScenario({
      model: [[says('One.')]],
      host: {
        allowsTakeOver: async () => {
          questions += 1;
          if (questions === 1) throw new Error('The window is closing.');
          return true;
        },
      },
    });
    await first.send('one');
    const resumed = await windowBeside(first).takeOver(first.session.threadId, ...first.thread);
    if (resumed.type !== 'resumed') throw new Error(resumed.type);
    expect(questions).toBe(2);
    await resumed.session.dispose();
  });

  it('stays with its owner when that refuses or does not answer', async () => {
    await using chat = await startScenario({
      model: [[says('One.')], [says('Two.')]],
      deps: ({ clock }) => ({ clock: { ...clock, sleep: (ms, signal) => clock.sleep(Math.min(ms, 100), signal) } }),
      host: { allowsTakeOver: () => new Promise(() => {}) },
    });
    await chat.send('one');
    const impatient = windowBeside(chat, ({ clock }) => ({ ...clock, monotonic: () => clock.monotonic() * 120 }));
    expect(await impatient.takeOver(chat.session.threadId, ...chat.thread)).toMatchObject({ type: 'owned' });
    expect(await chat.send('two')).toEqual({ type: 'turn_completed', lastMessage: 'Two.' });
    expect((await impatient.catalog.list([]))[0]?.owner).toBe('another_process');
  });
});

describe('an approval request', () => {
  it('names the commands that other threads run in the same folder', async () => {
    await using first = await startScenario({
      sandbox: 'danger-full-access',
      policy: 'untrusted',
      model: (request) => [
        JSON.stringify(request.input).includes('slowly')
          ? calls('exec_command', { cmd: 'echo up; sleep 30; touch z' })
          : calls('exec_command', { cmd: 'touch x' }),
      ],
    });
    await using second = await first.another();
    const started = first.next('approval_requested');
    first.submit({ type: 'user_turn', input: [{ type: 'text', text: 'slowly' }] });
    expect((await started).elsewhere).toBeUndefined();
    const running = first.next('item_delta');
    await first.answer('approved');
    await running;
    const asked = second.next('approval_requested');
    second.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    expect((await asked).elsewhere).toEqual([
      { threadId: first.session.threadId, command: 'echo up; sleep 30; touch z' },
    ]);
  });

  it('names them for a patch, too, and no longer once the command has ended', async () => {
    const slowly = calls('exec_command', { cmd: 'echo up; sleep 30; touch z' });
    await using first = await startScenario({
      sandbox: 'danger-full-access',
      review: 'before',
      files: { 'a.txt': 'one\n' },
      model: [[slowly], [update('one', 'two')], [says('Then not.')], [update('one', 'three')], [says('Done.')]],
    });
    await using second = await first.another();
    const running = first.next('item_delta');
    say(first, 'slowly');
    await running;
    const over = second.turnEnds();
    const asked = second.next('approval_requested');
    say(second, 'patch');
    expect((await asked).elsewhere).toEqual([
      { threadId: first.session.threadId, command: 'echo up; sleep 30; touch z' },
    ]);
    await second.answer({ denied: {} });
    await over;

    const stopped = first.turnEnds();
    first.submit({ type: 'interrupt' });
    await stopped;
    const again = second.next('approval_requested');
    say(second, 'patch');
    expect((await again).elsewhere).toBeUndefined();
  });
});

describe('two threads that change one file', () => {
  const model = (one: string, other: string) => [
    [update(one, `${one}, changed`)],
    [update(other, `${other} line`)],
    [says('Done.')],
    [says('Done, too.')],
  ];
  const options = { files: { 'a.txt': 'the first\nthe second\nthe third\n' }, review: 'before' } as const;

  /** Both patches are proposed before either is applied. */
  async function bothLand(first: Scenario, second: Scenario): Promise<string[]> {
    for (const chat of [first, second]) {
      const asked = chat.next('approval_requested');
      say(chat, 'go');
      await asked;
    }
    for (const chat of [first, second]) {
      const over = chat.turnEnds();
      await chat.answer('approved');
      await over;
    }
    return second.outputs();
  }

  it('are applied one after the other, with both changes', async () => {
    await using first = await startScenario({ ...options, model: model('the first', 'the third') });
    await using second = await first.another();
    expect((await bothLand(first, second)).at(-1)).toContain('Patch applied to these files:');
    expect(first.files()).toEqual({ 'a.txt': 'the first, changed\nthe second\nthe third line\n' });
  });

  it('on the same line: the model of the second one gets a note about the other thread', async () => {
    await using first = await startScenario({ ...options, model: model('the second', 'the second') });
    await using second = await first.another();
    const told = (await bothLand(first, second)).at(-1);
    expect(told).toContain('The files were changed by another thread in the meantime, and the patch no longer fits');
    expect(told).toContain('the second, changed');
    expect(first.files()).toEqual({ 'a.txt': 'the first\nthe second, changed\nthe third\n' });
    expect(second.items('file_change')).toMatchObject([{ status: 'failed' }]);
  });

  it('on the same line, where the user made the last edit: no note names another thread', async () => {
    const late = update('TWO', '2');
    await using first = await startScenario({
      ...options,
      model: [[update('the second', 'TWO')], [says('Done.')], [late], [says('Oh.')]],
    });
    await using second = await first.another();
    const applied = first.turnEnds();
    say(first, 'go');
    await first.answer('approved');
    await applied;
    const asked = second.next('approval_requested');
    const over = second.turnEnds();
    say(second, 'go');
    await asked;
    first.write('a.txt', 'the first\nmine\nthe third\n');
    await second.answer('approved');
    await over;
    expect(second.outputs().at(-1)).toContain('The files were changed in the meantime');
    expect(first.files()).toEqual({ 'a.txt': 'the first\nmine\nthe third\n' });
  });
});
