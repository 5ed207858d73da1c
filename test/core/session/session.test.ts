/** Edge cases of a session: full disks, races at the end, messages that arrive too late. */
import { describe, expect, it } from 'vitest';
import { textOf } from '../../../src/protocol/responseItem.ts';
import { FakeSession, type ModelStep, tick } from '../../support/fakeSession.ts';
import { MemoryStorage } from '../../support/memoryStorage.ts';
import { MemoryWorkspace } from '../../support/memoryWorkspace.ts';

const text = (text: string) => [{ type: 'text' as const, text }];
const run = (cmd: string) => ({ type: 'calls', name: 'exec_command', arguments: JSON.stringify({ cmd }) }) as const;
const plan = { type: 'calls', name: 'update_plan', arguments: '{"plan":[]}' } as const;

function heard(chat: FakeSession): string[] {
  return chat
    .said('item_completed')
    .flatMap(({ item }) =>
      item.type === 'user_message' ? item.content.map((part) => (part.type === 'text' ? part.text : '')) : [],
    );
}

describe('after an interrupt', () => {
  it('a message that is submitted with it starts the next turn', async () => {
    const chat = new FakeSession({ answers: [[run('make slow')], [{ type: 'says', text: 'Other.' }]] });
    chat.say('go');
    await chat.until('item_started', 2);
    chat.submit({ type: 'interrupt' });
    chat.say('do the other thing');
    await chat.session.idle();
    expect(chat.said('warning')).toEqual([]);
    expect(heard(chat)).toEqual(['go', 'do the other thing']);
    expect(chat.state.turns.map((turn) => turn.status.type)).toEqual(['aborted', 'completed']);
    await chat.session.dispose();
  });

  it('a message whose mentions were not read to the end is in the transcript', async () => {
    const chat: FakeSession = new FakeSession({
      between: (port, name) =>
        name !== 'workspace'
          ? port
          : new Proxy(port, {
              get(target, key) {
                if (key === 'stat') chat.submit({ type: 'interrupt' });
                const value: unknown = Reflect.get(target, key, target);
                return typeof value === 'function' ? value.bind(target) : value;
              },
            }),
    });
    const mention = (path: string) => ({ type: 'mention' as const, kind: 'file' as const, name: path, path });
    chat.submit({ type: 'user_turn', input: [...text('look at '), mention('a.txt'), mention('a.txt')] });
    await chat.session.idle();
    expect(chat.said('turn_aborted')).toEqual([{ type: 'turn_aborted', reason: 'interrupted' }]);
    expect(heard(chat)).toEqual(['look at ', '', '']);
    await chat.session.dispose();
  });

  it('a message after a shutdown starts no turn', async () => {
    const chat = new FakeSession();
    chat.submit({ type: 'shutdown' });
    chat.say('too late');
    await chat.session.closed;
    await chat.session.dispose();
    expect(chat.messages.map(({ type }) => type)).toEqual(['thread_started', 'thread_closed']);
    expect(chat.model.prompts).toEqual([]);
  });

  it('a suspension while the context of a turn is collected starts no turn', async () => {
    for (let microtasks = 0; microtasks < 20; microtasks++) {
      const chat = new FakeSession();
      chat.say('go');
      for (let passed = 0; passed < microtasks; passed++) await Promise.resolve();
      const hasStarted = chat.said('turn_started').length > 0;
      await chat.session.suspend();
      for (let passed = 0; passed < 20; passed++) await tick();
      if (!hasStarted) expect(chat.model.prompts).toEqual([]);
      expect(chat.said('turn_completed')).toEqual([]);
    }
  });

  it('a suspension during a shutdown waits for the end of the shutdown', async () => {
    const chat = new FakeSession({ answers: [[run('make slow')]] });
    chat.say('go');
    await chat.until('item_started', 2);
    const disposed = chat.session.dispose();
    await tick();
    await chat.session.suspend();
    expect(chat.messages.slice(-2).map(({ type }) => type)).toEqual(['turn_aborted', 'thread_closed']);
    await disposed;
  });

  it('a queued message is sent to the model although the turn pauses', async () => {
    const chat = new FakeSession({ answers: [[{ type: 'waits', ticks: 5 }, plan]], maxToolRounds: 1 });
    chat.say('go');
    await chat.until('turn_started');
    chat.submit({ type: 'steer', input: text('and this') });
    await chat.session.idle();
    expect(chat.said('turn_aborted')).toEqual([{ type: 'turn_aborted', reason: 'failed' }]);
    expect(heard(chat)).toEqual(['go', 'and this']);
    chat.submit({ type: 'retry' });
    await chat.session.idle();
    expect(JSON.stringify(chat.model.prompts.at(-1)?.input)).toContain('and this');
    await chat.session.dispose();
  });

  describe('reasoning at the end of a response that the server wants continued', () => {
    const thoughts: ModelStep[] = [{ type: 'thinks', text: 'Hm.' }, { type: 'goes_on' }];
    const kinds = (chat: FakeSession) =>
      chat.model.prompts.at(-1)?.input.flatMap((item) => (item.type === 'message' ? textOf(item.content) : item.type));

    it('is sent with the next request', async () => {
      const chat = new FakeSession({ answers: [thoughts] });
      chat.say('go');
      await chat.session.idle();
      expect(kinds(chat)?.slice(-2)).toEqual(['go', 'reasoning']);
      await chat.session.dispose();
    });

    it('is left out when a message of the user comes first', async () => {
      const chat = new FakeSession({ answers: [[{ type: 'waits', ticks: 3 }, ...thoughts], [{ type: 'hangs' }]] });
      chat.say('go');
      await chat.until('turn_started');
      chat.submit({ type: 'steer', input: text('and this') });
      for (let left = 20; left > 0 && chat.model.prompts.length < 2; left--) await tick();
      expect(kinds(chat)?.slice(-2)).toEqual(['go', 'and this']);
      await chat.session.dispose();
    });

    it('is left out of the request for a summary', async () => {
      const chat = new FakeSession({ answers: [thoughts, []] });
      chat.say('go');
      await chat.session.idle();
      chat.submit({ type: 'compact' });
      await chat.session.idle();
      const [, , summary] = chat.model.prompts;
      expect(summary?.tools).toEqual([]);
      expect(summary?.input.map(({ type }) => type)).not.toContain('reasoning');
      await chat.session.dispose();
    });

    it('is sent again when the turn failed and is tried again', async () => {
      const chat = new FakeSession({ answers: [thoughts, [{ type: 'fails', retryable: false }]] });
      chat.say('go');
      await chat.session.idle();
      chat.submit({ type: 'retry' });
      await chat.session.idle();
      expect(kinds(chat)?.slice(-2)).toEqual(['go', 'reasoning']);
      await chat.session.dispose();
    });

    it('is left out when a message follows the turn that failed, and a rollback to the message removes just that', async () => {
      const chat = new FakeSession({ answers: [thoughts, [{ type: 'fails', retryable: false }]] });
      chat.say('go');
      await chat.session.idle();
      chat.say('again');
      await chat.session.idle();
      expect(kinds(chat)?.slice(-2)).toEqual(['go', 'again']);
      const toItemId = chat.state.turns[1]?.items.find(({ type }) => type === 'user_message')?.id ?? '';
      chat.submit({ type: 'rollback', toItemId, files: false, conversation: true });
      chat.say('other');
      await chat.session.idle();
      expect(kinds(chat)?.slice(-2)).toEqual(['go', 'other']);
      await chat.session.dispose();
    });
  });

  it('an applied patch is in the diff of the turn', async () => {
    const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch';
    const chat = new FakeSession({ answers: [[{ type: 'patches', patch }, run('make slow')]] });
    chat.say('go');
    await chat.until('item_started', 3);
    chat.submit({ type: 'interrupt' });
    await chat.session.idle();
    expect(chat.state.turns[0]).toMatchObject({ status: { type: 'aborted' }, diff: expect.stringContaining('+two') });
    await chat.session.dispose();
  });
});

describe('a stop in the moment in which a turn ends', () => {
  const microtasks = async (count: number) => {
    for (let left = count; left > 0; left--) await Promise.resolve();
  };

  /** A message is sent for the turn when its response is complete, and the user stops the thread; both some microtasks later. */
  async function stopped(messageAfter: number, stopAfter: number) {
    const chat: FakeSession = new FakeSession({ answers: [[{ type: 'says', text: 'Hi.' }]] });
    const seen = new Promise<readonly string[]>((resolve) => {
      const sendAndStop = async () => {
        await microtasks(messageAfter);
        chat.submit({ type: 'override_turn_context', policy: 'never' });
        chat.submit({ type: 'steer', input: text('later') });
        await microtasks(stopAfter);
        chat.submit({ type: 'interrupt' });
        resolve(chat.messages.map(({ type }) => type));
      };
      chat.session.onEvent(({ msg }) => {
        if (msg.type === 'token_count' && chat.said('token_count').length === 1) void sendAndStop();
      });
    });
    chat.say('go');
    const before = await seen;
    await chat.session.idle();
    const after = chat.messages.slice(before.length);
    return { chat, after, hadBegun: before.filter((type) => type === 'turn_started').length === 2 };
  }

  it('starts no turn with the message, which goes back to the user', async () => {
    let returned = 0;
    for (const messageAfter of [1, 5, 8])
      for (let stopAfter = 0; stopAfter < 25; stopAfter++) {
        const { chat, after, hadBegun } = await stopped(messageAfter, stopAfter);
        const starts = after.filter(({ type }) => type === 'turn_started').length;
        const left = chat.state.queuedInputs.length;
        const place = `${messageAfter} and ${stopAfter} microtasks`;
        expect({ place, starts, left }).toEqual({ place, starts: 0, left: 0 });
        if (!hadBegun) {
          returned++;
          const reason = chat.said('input_dequeued').at(-1)?.reason;
          expect({ place, reason, sent: heard(chat) }).toEqual({ place, reason: 'dropped', sent: ['go'] });
          // The turn that did not start has taken nothing of the context from the one that does.
          chat.say('go on');
          await chat.session.idle();
          expect(JSON.stringify(chat.model.prompts.at(-1)?.input)).toContain('<approval_policy>never');
        }
        await chat.session.dispose();
      }
    expect(returned).toBeGreaterThan(20);
  });
});

describe('a queued message that is being edited', () => {
  /** A turn that hangs, with two messages queued of which the first is held. */
  async function editing(next: readonly ModelStep[] = [{ type: 'hangs' }]) {
    const chat = new FakeSession({ answers: [[{ type: 'waits', ticks: 5 }, plan], next] });
    chat.say('go');
    await chat.until('turn_started');
    const [held, other] = ['held', 'other'].map((words) => chat.submit({ type: 'steer', input: text(words) }));
    if (held === undefined || other === undefined) throw new Error('nothing was queued');
    chat.submit({ type: 'hold_queued', id: held, held: true });
    await chat.until('input_dequeued');
    return { chat, held, other };
  }
  const queued = ({ state }: FakeSession) => state.queuedInputs.map(({ id }) => id);

  it('joins the running turn as soon as the edit is sent, with the new text', async () => {
    const { chat, held } = await editing([{ type: 'waits', ticks: 5 }, plan]);
    chat.submit({ type: 'edit_queued', id: held, input: text('new') });
    await chat.session.idle();
    expect(heard(chat)).toEqual(['go', 'other', 'new']);
    expect(chat.state.turns.length).toBe(1);
    await chat.session.dispose();
  });

  it('stays when the turn is interrupted, and the edit starts the next turn', async () => {
    const { chat, held } = await editing();
    chat.submit({ type: 'interrupt' });
    await chat.session.idle();
    expect(queued(chat)).toEqual([held]);
    chat.submit({ type: 'edit_queued', id: held, input: text('new') });
    await chat.until('turn_started', 2);
    expect(heard(chat)).toEqual(['go', 'other', 'new']);
    expect(queued(chat)).toEqual([]);
    await chat.session.dispose();
  });

  it('starts the next turn also when the edit is sent while the turn is still stopping', async () => {
    const { chat, held } = await editing();
    chat.submit({ type: 'interrupt' });
    chat.submit({ type: 'edit_queued', id: held, input: text('new') });
    await chat.until('turn_started', 2);
    await chat.session.idle();
    expect(heard(chat)).toEqual(['go', 'other', 'new']);
    await chat.session.dispose();
  });

  it('is queued unchanged when the edit is cancelled, and given back when no turn runs any more', async () => {
    const { chat, held } = await editing();
    chat.submit({ type: 'hold_queued', id: held, held: false });
    await chat.until('input_queued', 4);
    expect(chat.state.queuedInputs).toEqual([{ id: held, input: text('held'), held: false }]);
    chat.submit({ type: 'hold_queued', id: held, held: true });
    chat.submit({ type: 'interrupt' });
    await chat.session.idle();
    expect(queued(chat)).toEqual([held]);
    chat.submit({ type: 'hold_queued', id: held, held: false });
    await chat.session.idle();
    expect(chat.said('input_dequeued').at(-1)).toEqual({ type: 'input_dequeued', id: held, reason: 'dropped' });
    expect(heard(chat)).toEqual(['go', 'other']);
    await chat.session.dispose();
  });

  it('is given back when its client disconnects, when the thread is closed and when a crash ends the process', async () => {
    const ends: ((chat: FakeSession) => unknown)[] = [
      ({ session }) => session.endOfInput(),
      ({ session }) => session.dispose(),
    ];
    for (const end of ends) {
      const { chat, held } = await editing();
      chat.submit({ type: 'interrupt' });
      await chat.session.idle();
      await end(chat);
      expect(chat.said('input_dequeued').at(-1)).toEqual({ type: 'input_dequeued', id: held, reason: 'dropped' });
      expect(chat.rollout().state.queuedInputs).toEqual([]);
      await chat.session.dispose();
    }
    const { chat, held } = await editing();
    const files = new MemoryStorage(Object.fromEntries(chat.storage.files));
    const second = new FakeSession({ storage: files });
    expect(second.said('input_dequeued')).toEqual([{ type: 'input_dequeued', id: held, reason: 'dropped' }]);
    for (const each of [chat, second]) await each.session.dispose();
  });

  it('is answered with a warning when it is not queued any more', async () => {
    const { chat, other } = await editing();
    chat.submit({ type: 'hold_queued', id: other, held: true });
    await chat.until('warning');
    expect(chat.said('warning')).toEqual([
      { type: 'warning', message: `The message ${other} is not queued any more.` },
    ]);
    await chat.session.dispose();
  });
});

describe('a disk that cannot be written', () => {
  it('from the start: the turn shows its messages, fails with a message, and continues when it can', async () => {
    const storage = new MemoryStorage();
    storage.canOpen = false;
    const chat = new FakeSession({ storage });
    chat.say('go');
    await chat.session.idle();
    expect(chat.said('error')).toEqual([expect.objectContaining({ kind: 'storage', action: 'retry' })]);
    expect(chat.said('turn_aborted')).toEqual([{ type: 'turn_aborted', reason: 'failed' }]);
    expect(heard(chat)).toEqual(['go']);
    expect(chat.model.prompts).toEqual([]);

    storage.canOpen = true;
    chat.submit({ type: 'retry' });
    await chat.session.idle();
    expect(chat.said('turn_completed')).toEqual([{ type: 'turn_completed', lastMessage: 'Done.' }]);
    expect(JSON.stringify(chat.model.prompts[0]?.input)).toContain('go');
    expect(chat.rollout().state.turns.map((turn) => turn.status.type)).toEqual(['aborted', 'completed']);
    await chat.session.dispose();
  });

  it('after the output of a command was removed from it: the thread does not have that output either', async () => {
    const storage = new MemoryStorage();
    const run = { type: 'calls' as const, name: 'exec_command', arguments: '{"cmd":"make ok"}' };
    const chat = new FakeSession({ storage, answers: [[run]] });
    chat.say('go');
    await chat.session.idle();
    storage.refuses = () => true;
    chat.submit({ type: 'set_title', title: 'Mine' });
    const [command] = chat.state.turns.flatMap(({ items }) => items.filter(({ type }) => type === 'command_execution'));
    chat.submit({ type: 'purge_output', itemId: command?.id ?? '' });
    await chat.session.idle();
    storage.refuses = undefined;
    chat.say('and now?');
    await chat.session.idle();
    expect(JSON.stringify(chat.model.prompts.at(-1)?.input)).toContain('[output removed by the user]');
    const written = chat.rollout().state;
    expect(written.title).toBe('Mine');
    expect(written.turns).toEqual(chat.state.turns);
    await chat.session.dispose();
  });

  it('while a command is about to run: it does not run, and the turn fails instead of hanging', async () => {
    const storage = new MemoryStorage();
    storage.refuses = (line) => line.includes('"function_call"');
    const chat = new FakeSession({ storage, answers: [[run('make slow')]] });
    chat.say('go');
    await chat.session.idle();
    expect(chat.said('error')).toEqual([expect.objectContaining({ kind: 'storage' })]);
    expect(chat.said('item_completed').filter(({ item }) => item.type === 'command_execution')).toEqual([]);
    storage.refuses = undefined;
    chat.say('again');
    await chat.session.idle();
    expect(chat.said('turn_completed')).toHaveLength(1);
    await chat.session.dispose();
  });

  it('at the very end of a turn: the end is emitted all the same', async () => {
    const storage = new MemoryStorage();
    storage.refuses = (line) => line.includes('"turn_completed"');
    const chat = new FakeSession({ storage });
    chat.say('go');
    await chat.session.idle();
    expect(chat.said('turn_completed')).toHaveLength(1);
    expect(chat.said('error')).toEqual([expect.objectContaining({ kind: 'storage' })]);
    await chat.session.dispose();
  });
});

describe('tools of the client', () => {
  const tool = (name: string) => ({ name, description: '', inputSchema: {} });

  it('are left out alone, with a warning, when their name is taken', async () => {
    const twice = [tool('weather'), tool('weather')];
    for (const tools of [[tool('apply_patch'), tool('weather')], [tool('shell'), tool('weather')], twice]) {
      const chat = new FakeSession();
      chat.submit({ type: 'register_tools', tools });
      chat.say('go');
      await chat.session.idle();
      expect(chat.said('warning')).toHaveLength(1);
      const names = chat.model.prompts[0]?.tools.map((spec) => ('name' in spec ? spec.name : '')) ?? [];
      expect(names.filter((name) => name === 'weather')).toHaveLength(1);
      expect(names.filter((name) => name === 'apply_patch')).toHaveLength(1);
      await chat.session.dispose();
    }
  });

  it('fail when the client has disconnected, also those called later', async () => {
    const weather = { type: 'calls', name: 'weather', arguments: '{}' } as const;
    const chat = new FakeSession({ answers: [[weather], [weather]] });
    chat.submit({ type: 'register_tools', tools: [tool('weather')] });
    chat.say('go');
    await chat.until('dynamic_tool_requested');
    chat.session.endOfInput();
    await chat.session.idle();
    const items = chat
      .said('item_completed')
      .flatMap(({ item }) => (item.type === 'dynamic_tool_call' ? item.success : []));
    expect(items).toEqual([false, false]);
    await chat.session.dispose();
  });

  it('can be declared again when another process resumes the thread', async () => {
    const first = new FakeSession();
    first.say('go');
    await first.session.idle();
    await first.session.dispose();
    const second = new FakeSession({ storage: first.storage });
    second.submit({ type: 'register_tools', tools: [tool('weather')] });
    second.say('go on');
    await second.session.idle();
    expect(second.model.prompts[0]?.tools.map((spec) => ('name' in spec ? spec.name : ''))).toContain('weather');
    await second.session.dispose();
  });
});

describe('after a crash', () => {
  /** The files of a process that has been killed. */
  const killed = (chat: FakeSession) => new MemoryStorage(Object.fromEntries(chat.storage.files));

  it('an approval is requested again, and earlier approvals are recorded before the call runs', async () => {
    const options = { answers: [[run('make slow')]], settings: { approvalPolicy: 'untrusted' as const } };
    const first = new FakeSession(options);
    first.say('go');
    await first.until('approval_requested');

    const second = new FakeSession({ ...options, answers: [], storage: killed(first) });
    await second.until('approval_requested');
    const approvalIds = second.state.approvals.map(({ approvalId }) => approvalId);
    second.submit({ type: 'approval', approvalIds, decision: 'approved' });
    await second.until('item_delta');
    expect(second.exec.running).toBe(1);

    const third = new FakeSession({ ...options, answers: [], storage: killed(second) });
    await tick();
    expect(third.said('approval_requested')).toEqual([]);
    expect(third.said('turn_aborted')).toEqual([{ type: 'turn_aborted', reason: 'crashed' }]);
    third.say('and now?');
    await third.session.idle();
    expect(JSON.stringify(third.model.prompts[0]?.input)).toContain('"output":"aborted"');
    for (const chat of [first, second, third]) await chat.session.dispose();
  });

  it('queued messages are given back', async () => {
    const first = new FakeSession({ answers: [[{ type: 'hangs' }]] });
    first.say('go');
    await first.until('turn_started');
    const queued = first.submit({ type: 'steer', input: text('later') });
    await first.until('input_queued');
    const second = new FakeSession({ storage: killed(first) });
    expect(second.said('input_dequeued')).toEqual([{ type: 'input_dequeued', id: queued, reason: 'dropped' }]);
    expect(second.state.queuedInputs).toEqual([]);
    for (const chat of [first, second]) await chat.session.dispose();
  });
});

describe('settings of a turn', () => {
  it('take a relative folder from the working directory', async () => {
    const chat = new FakeSession({ workspace: new MemoryWorkspace({ 'sub/b.txt': '' }) });
    chat.submit({ type: 'override_turn_context', cwd: 'sub' });
    await chat.session.idle();
    expect(chat.said('turn_context_changed')[0]?.settings.cwd).toBe('/work/sub');
    await chat.session.dispose();
  });

  const REFUSED = [
    ['gone', 'The working directory /work/gone does not exist. The thread keeps its settings and works in /work.'],
    ['a.txt', 'The working directory /work/a.txt is not a folder. The thread keeps its settings and works in /work.'],
  ] as const;

  it.each(REFUSED)('change nothing when their folder is not there or a file (%s)', async (cwd, message) => {
    const chat = new FakeSession();
    const id = chat.submit({ type: 'override_turn_context', cwd, model: 'other' });
    chat.say('go');
    await chat.session.idle();
    expect(chat.events.filter(({ msg }) => msg.type === 'error')).toEqual([
      expect.objectContaining({ submissionId: id, turnId: null, msg: { type: 'error', kind: 'config', message } }),
    ]);
    expect(chat.said('turn_context_changed')).toEqual([]);
    expect(chat.said('turn_started')[0]?.settings).toMatchObject({ cwd: '/work', model: 'm' });
    await chat.session.dispose();
  });

  it.each(REFUSED)('fail the one turn that they are for, which keeps its message (%s)', async (cwd, message) => {
    const chat = new FakeSession();
    chat.submit({ type: 'user_turn', input: text('go'), overrides: { cwd } });
    await chat.session.idle();
    expect(chat.said('error')).toEqual([{ type: 'error', kind: 'config', message }]);
    expect(chat.state.turns.map(({ status }) => status.type)).toEqual(['aborted']);
    expect(chat.model.prompts).toEqual([]);
    chat.submit({ type: 'retry' });
    await chat.session.idle();
    expect(heard(chat)).toEqual(['go']);
    expect(chat.said('turn_started').at(-1)?.settings.cwd).toBe('/work');
    expect(JSON.stringify(chat.model.prompts[0]?.input)).toContain('go');
    await chat.session.dispose();
  });

  it('can be changed when the folder of the thread is gone', async () => {
    const chat = new FakeSession({ settings: { cwd: '/gone' } });
    chat.submit({ type: 'override_turn_context', cwd: '/gone', model: 'other' });
    await chat.session.idle();
    expect(chat.said('turn_context_changed')[0]?.settings.model).toBe('other');
    await chat.session.dispose();
  });
});
