/** The thread of a message that is not sent at once, because its mentions are read or a model is chosen first. */
import { describe, expect, it } from 'vitest';
import { ShownThread, type ThreadSource, type WindowState } from '../../src/core/agent/shownThread.ts';
import { textOfInput } from '../../src/protocol/thread.ts';
import type { Op } from '../../src/protocol/op.ts';
import { says } from '../support/modelScript.ts';
import { startScenario } from '../support/startScenario.ts';

const message = (text: string): Op => ({ type: 'steer', input: [{ type: 'text', text }] });

/** A window without a shown thread; what reaches the sessions is in `got`, each with its thread. */
async function startWindow() {
  const root = await startScenario({ model: () => [says('Done.')] });
  const { service, thread } = root;
  const { live } = service;
  const got: string[] = [];
  live.onEvent(({ event: { threadId, msg } }) => {
    if (msg.type !== 'item_completed' || msg.item.type !== 'user_message') return;
    got.push(`${threadId}: ${textOfInput(msg.item.content)}`);
  });
  let starts = 0;
  const gone = new Set<string>();
  const source: ThreadSource = {
    start: () => {
      starts++;
      return service.start(...thread);
    },
    open: async (id) => {
      const resumed = gone.has(id) ? undefined : await service.resume({ id }, ...thread);
      return resumed?.type === 'resumed' ? { type: 'live', session: resumed.session } : { type: 'missing' };
    },
  };
  const get = <Value>(_key: string, fallback?: Value) => fallback as Value;
  const memento: WindowState = { get, update: async () => {} };
  const report = (error: unknown) => expect.unreachable(String(error));
  const shown = new ShownThread({ live, source, memento, clock: { after: () => () => {} }, report });
  const isLive = (threadId: string) => live.get(threadId) !== undefined;
  return {
    shown,
    got,
    gone,
    starts: () => starts,
    isLive,
    /** Ends an edit at the cursor. */
    suspend: async (threadId: string) => {
      const session = live.get(threadId)?.session;
      if (session !== undefined) await shown.suspend(session);
    },
    /** Shows a new thread with one finished turn. */
    async begin(text: string): Promise<string> {
      await shown.clear();
      await shown.submit(message(text));
      const { threadId = '' } = shown.state ?? {};
      await live.get(threadId)?.session.idle();
      return threadId;
    },
    async [Symbol.asyncDispose]() {
      await shown.close();
      await root[Symbol.asyncDispose]();
    },
  };
}

describe('a message that is not sent at once', () => {
  it('goes to its thread, although that was left and suspended since', async () => {
    await using window = await startWindow();
    const { shown, got, isLive } = window;
    const first = await window.begin('first');
    const { target } = shown;
    const second = await window.begin('second');
    await expect.poll(() => isLive(first)).toBe(false);
    expect(await shown.send(message('later'), target)).toBe(true);
    await expect.poll(() => got).toEqual([`${first}: first`, `${second}: second`, `${first}: later`]);
    expect(shown.state?.threadId).toBe(second);
    // It is not shown: it is suspended again after its turn.
    await expect.poll(() => isLive(first)).toBe(false);
  });

  it('is not lost when the shown thread is suspended at the same time', async () => {
    await using window = await startWindow();
    const { shown, got } = window;
    const first = await window.begin('first');
    const suspended = window.suspend(first);
    expect(await shown.send(message('later'), shown.target)).toBe(true);
    await suspended;
    await expect.poll(() => got, { timeout: 20_000 }).toEqual([`${first}: first`, `${first}: later`]);
  });

  it('is not lost when its thread is being suspended, whenever it is sent', async () => {
    await using window = await startWindow();
    const { shown, got } = window;
    const threadId = await window.begin('first');
    const { target } = shown;
    const wanted = [`${threadId}: first`];
    for (let ticks = 0; ticks < 12; ticks++) {
      await shown.open(threadId);
      void shown.clear();
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      expect(await shown.send(message(`after ${ticks}`), target)).toBe(true);
      wanted.push(`${threadId}: after ${ticks}`);
      await expect.poll(() => got).toEqual(wanted);
    }
  });

  it('is refused when its thread is gone', async () => {
    await using window = await startWindow();
    const { shown, got, gone, isLive } = window;
    const threadId = await window.begin('first');
    const { target } = shown;
    await shown.clear();
    await expect.poll(() => isLive(threadId)).toBe(false);
    gone.add(threadId);
    expect(await shown.send(message('later'), target)).toBe(false);
    expect([got, shown.state]).toEqual([[`${threadId}: first`], null]);
  });

  it('starts one thread with all that were sent while none was shown', async () => {
    await using window = await startWindow();
    const { shown, got } = window;
    await shown.restore();
    const { target } = shown;
    await Promise.all([shown.send(message('one'), target), shown.send(message('two'), target)]);
    const { threadId = '' } = shown.state ?? {};
    await expect.poll(() => got).toEqual([`${threadId}: one`, `${threadId}: two`]);
    expect([window.starts(), target.threadId]).toEqual([1, threadId]);
  });

  it('starts a thread that is not shown when the user has gone elsewhere since', async () => {
    await using window = await startWindow();
    const { shown, got, isLive } = window;
    await shown.restore();
    const { target } = shown;
    const other = await window.begin('other');
    expect(await shown.send(message('late'), target)).toBe(true);
    expect(shown.state?.threadId).toBe(other);
    expect(target.threadId).not.toBe(other);
    await expect.poll(() => got).toEqual([`${other}: other`, `${target.threadId}: late`]);
    await expect.poll(() => isLive(target.threadId ?? '')).toBe(false);
  });
});
