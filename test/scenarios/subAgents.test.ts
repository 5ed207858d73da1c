// A thread that another one has started: its requests, interrupts and end go through its root thread.
import { describe, expect, it } from 'vitest';
import { ShownThread, type ThreadSource, type WindowState } from '../../src/core/agent/shownThread.ts';
import { agentScript, nextEvent } from '../support/agentScript.ts';
import { calls, hangs, says } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const write = calls('exec_command', { cmd: 'echo x >> made.txt' });

function go(chat: Scenario): Promise<unknown> {
  const ended = chat.turnEnds();
  chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
  return ended;
}

describe('a sub-agent', () => {
  it('is answered through its root thread, which remembers the approval for both', async () => {
    await using root = await startScenario({ model: [[write], [says('One.')], [write], [says('Two.')]] });
    const child = await root.subAgent();
    const ended = go(child);
    const { approvalId } = await child.next('approval_requested');
    expect(child.said('thread_started')).toMatchObject([{ parentId: root.session.threadId }]);
    root.submit({ type: 'approval', approvalIds: [approvalId], decision: 'approved_for_thread' });
    expect(await ended).toEqual({ type: 'turn_completed', lastMessage: 'One.' });
    expect(root.said('warning')).toEqual([]);
    await root.send('now you');
    expect(root.said('approval_requested')).toEqual([]);
    expect(root.files()).toEqual({ 'made.txt': 'x\nx\n' });
  });

  it('is interrupted with its root thread, as are its own sub-agents', async () => {
    await using root = await startScenario({ model: () => [hangs()] });
    const child = await root.subAgent();
    const grandchild = await child.subAgent();
    const threads = [root, child, grandchild];
    const ended = threads.map(go);
    await Promise.all(threads.map((thread) => thread.next('turn_started')));
    expect(root.service.live.submit(root.session.threadId, { type: 'interrupt' })).toBe(true);
    const aborted = { type: 'turn_aborted', reason: 'interrupted' };
    expect(await Promise.all(ended)).toEqual([aborted, aborted, aborted]);
  });

  it('leaves its parent running when it is interrupted itself', async () => {
    await using root = await startScenario({ model: () => [hangs()] });
    const child = await root.subAgent();
    void go(root);
    const ended = go(child);
    await child.next('turn_started');
    root.service.live.submit(child.session.threadId, { type: 'interrupt' });
    await ended;
    expect(root.state.activeTurnId).not.toBe(null);
  });

  it.each(['end', 'suspend'] as const)('is closed before its root thread: %s', async (how) => {
    await using root = await startScenario({ model: [] });
    const child = await root.subAgent();
    const grandchild = await child.subAgent();
    const closed: string[] = [];
    for (const [name, { session }] of Object.entries({ root, child, grandchild })) {
      void session.closed.then(() => closed.push(name));
    }
    await root.service.live.close(root.session.threadId, how);
    expect(closed).toEqual(['grandchild', 'child', 'root']);
    expect(root.service.live.sessions).toEqual([]);
  });

  it('ends when a client shuts its parent down', async () => {
    await using root = await startScenario({ model: [] });
    const child = await root.subAgent();
    root.submit({ type: 'shutdown' });
    await child.session.closed;
    expect(child.said('thread_closed')).toHaveLength(1);
  });

  it('is in no list and no search, and is not the last thread to resume; its fork is a thread of its own', async () => {
    await using root = await startScenario({ model: [[says('One.')], [says('Two.')]] });
    await root.send('the root');
    const child = await root.subAgent();
    await child.send('the child');
    const { catalog } = root.service;
    const listed = async () => (await catalog.list([root.folder.path])).map(({ title }) => title);
    expect(await listed()).toEqual(['the root']);
    const hits: string[] = [];
    for await (const { threadId } of catalog.search('the', new AbortController().signal)) hits.push(threadId);
    expect(new Set(hits)).toEqual(new Set([root.session.threadId]));
    await root.service.live.closeAll('end');

    const resumed = await root.service.resume('last', ...root.thread);
    expect(resumed.type === 'resumed' && resumed.session.threadId).toBe(root.session.threadId);
    const forked = await root.service.fork({ id: child.session.threadId }, null, ...root.thread);
    expect(forked.type === 'resumed' && forked.session.parentId).toBe(null);
    expect(await listed()).toHaveLength(2);
    await root.service.live.closeAll('end');
  });

  it('keeps its root thread live while it works, also when another thread is shown', async () => {
    await using root = await startScenario({ model: () => [hangs()] });
    const { live } = root.service;
    const get = <Value>(_key: string, fallback?: Value) => fallback as Value;
    const memento: WindowState = { get, update: async () => {} };
    const source: ThreadSource = {
      start: () => root.service.start(...root.thread),
      open: async () => ({ type: 'missing' }),
    };
    const report = (error: unknown) => expect.unreachable(String(error));
    const shown = new ShownThread({ live, source, memento, clock: { after: () => () => {} }, report });
    await shown.adopt(await source.start());
    const threadId = shown.state?.threadId ?? '';
    const child = await root.service.start(...root.thread, threadId);
    live.begin(child);
    const isBelow = () =>
      [threadId, child.threadId].map((id) => shown.overview.isBelowShown(live.get(id)?.state ?? { started: null }));
    expect(isBelow()).toEqual([false, true]);
    const ends: unknown[] = [];
    live.onEvent(({ event }) => void (event.msg.type === 'turn_aborted' && ends.push(event.threadId)));
    const isThere = () => [threadId, child.threadId].map((id) => live.get(id) !== undefined);
    live.submit(child.threadId, { type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await expect.poll(() => live.get(child.threadId)?.state.activeTurnId).not.toBe(null);
    await shown.clear();
    expect(isBelow()).toEqual([false, false]);
    await live.get(threadId)?.session.idle();
    expect(isThere()).toEqual([true, true]);
    live.submit(child.threadId, { type: 'interrupt' });
    await expect.poll(isThere).toEqual([false, false]);
    // A suspension would not have recorded it.
    expect(ends).toEqual([child.threadId]);
    await shown.close();
  });

  it('is listed with what it does and asks, can be shown, and keeps its root thread live while it is', async () => {
    await using root = await startScenario({
      model: agentScript({
        go: [[calls('task', { agent: 'worker', prompt: 'CHILD', description: 'Write it' })], [says('Done.')]],
        CHILD: [[write], [says('Written.')], [says('More.')]],
      }),
    });
    const { live } = root.service;
    const source: ThreadSource = {
      start: () => root.service.start(...root.thread),
      open: async (id) => {
        const resumed = await root.service.resume({ id }, ...root.thread);
        return resumed.type === 'resumed' ? { type: 'live', session: resumed.session } : { type: 'missing' };
      },
    };
    const memento: WindowState = { get: (_key: string, fallback?: never) => fallback as never, update: async () => {} };
    const report = (error: unknown) => expect.unreachable(String(error));
    const shown = new ShownThread({ live, source, memento, clock: { after: () => () => {} }, report });
    await shown.adopt(root.session);
    const ended = go(root);
    const { threadId: agentId, msg } = await nextEvent(root, (event) => event.msg.type === 'approval_requested');
    if (msg.type !== 'approval_requested') throw new Error('Another event.');
    expect(shown.overview.agents).toMatchObject([
      {
        agentId,
        role: 'worker',
        description: 'Write it',
        state: 'running',
        color: 'green',
        depth: 0,
        isLive: true,
        line: 'echo x >> made.txt',
        tokens: expect.any(Number),
        approvals: [{ approvalId: msg.approvalId }],
      },
    ]);
    expect(shown.overview.asking(msg.approvalId)?.threadId).toBe(agentId);
    expect(shown.overview.asking('another')?.threadId).toBe(root.session.threadId);
    expect(shown.overview.elsewhere).toEqual({ waiting: 0, running: 0 });
    expect([shown.overview.running, shown.overview.questions]).toEqual([1, 1]);
    const { threadId } = root.session;
    expect(shown.overview.waitingRoots).toMatchObject([
      { thread: { threadId }, asking: { threadId: agentId }, isShown: true },
    ]);

    await shown.open(agentId);
    expect(shown.overview.waitingRoots).toMatchObject([{ thread: { threadId }, isShown: true }]);
    expect(shown.state?.threadId).toBe(agentId);
    expect(shown.overview.elsewhere).toEqual({ waiting: 0, running: 0 });
    await shown.submit({ type: 'approval', approvalIds: [msg.approvalId], decision: 'approved' });
    await ended;
    await root.session.idle();
    expect(root.files()).toEqual({ 'made.txt': 'x\n' });
    // Its task has ended, and with it its session. A message opens it again.
    const answered = nextEvent(root, (event) => event.threadId === agentId && event.msg.type === 'turn_completed');
    await shown.submit({ type: 'user_turn', input: [{ type: 'text', text: 'And?' }] });
    expect((await answered).msg).toEqual({ type: 'turn_completed', lastMessage: 'More.' });
    await shown.open(root.session.threadId);
    expect(shown.overview.agents).toMatchObject([{ agentId, state: 'completed', line: 'More.' }]);
    // It is in the thread, and may be long.
    expect(shown.overview.agents[0]).not.toHaveProperty('lastMessage');
    await shown.close();
  });

  it('goes to the trash with its root thread, and comes back with it', async () => {
    await using root = await startScenario({ model: () => [says('Hello.')] });
    const child = await root.subAgent();
    const grandchild = await child.subAgent();
    const other = await root.another();
    for (const thread of [root, child, grandchild, other]) await thread.send('hi');
    const family = [root, child, grandchild].map(({ session }) => session.threadId);
    const { service } = root;
    const isThere = async () =>
      Promise.all(
        [...family, other.session.threadId].map(async (id) => (await service.catalog.find(id)) !== undefined),
      );
    await service.live.closeAll('end');
    expect(await service.remove(root.session.threadId)).toEqual({ type: 'done' });
    await service.remove(other.session.threadId);
    expect(await isThere()).toEqual([false, false, false, false]);
    expect(await service.catalog.restore(root.session.threadId)).toBe(true);
    expect(await isThere()).toEqual([true, true, true, false]);
  });

  it('needs a live parent', async () => {
    await using root = await startScenario({ model: [] });
    await expect(root.service.start(...root.thread, 'gone')).rejects.toThrow(
      'The thread gone is not live: it cannot have a sub-agent.',
    );
  });
});
