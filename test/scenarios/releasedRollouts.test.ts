/**
 * Threads that released versions have written are read, resumed and forked by this one. The files never change: a new
 * release adds a folder, recorded with `npm run record -- --into test/fixtures/rollouts/released-VERSION`.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { normalize } from '../../src/core/history/normalize.ts';
import { parseLine } from '../../src/core/rollout/parseLine.ts';
import { homeOf } from '../../src/core/rollout/recorder.ts';
import { replay } from '../../src/core/rollout/replay.ts';
import { says, type Wire } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const ROLLOUTS = path.join(import.meta.dirname, '../fixtures/rollouts');
const WIRES: readonly Wire[] = ['responses', 'chat'];

describe.each(readdirSync(ROLLOUTS))('the rollouts of %s', (release) => {
  const folder = path.join(ROLLOUTS, release);
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  const textOf = (name: string) => readFileSync(path.join(folder, name), 'utf8');

  function readThread(name: string) {
    const read = replay(textOf(name));
    if (read.type === 'unreadable') throw new Error(`${name}: ${read.message}`);
    return read.thread;
  }

  test('are the released bytes', () => {
    const sums = names.map((name) => `${createHash('sha256').update(textOf(name)).digest('hex')}  ${name}\n`);
    expect(sums.join('')).toBe(readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8'));
  });

  test('have no line that cannot be parsed, except a torn one', () => {
    for (const name of names) {
      const lines = textOf(name).split('\n').filter(Boolean);
      const unread = lines.filter((line) => parseLine(line) === undefined);
      expect([name, unread.length]).toEqual([name, name === 'torn.jsonl' ? 1 : 0]);
      expect(readThread(name)).toMatchObject({ dropped: unread.length, readOnly: false });
    }
  });

  test('are read to the same state as before', async () => {
    const summaries = names.map((name) => {
      const { state, history, settings } = readThread(name);
      const turns = state.turns.map(({ status, items, denials }) => {
        const shown = items.map((item) => `${item.type} ${item.status}`);
        const end = status.type === 'aborted' ? `aborted, ${status.reason}` : status.type;
        return `  turn ${end}: ${[...shown, ...denials.map(({ by }) => `denied by ${by}`)].join('; ')}`;
      });
      return [
        `${name}: ${state.title ?? 'no title'}`,
        `  ${history.length} items of history, ${state.tokens?.total.total ?? 0} tokens, ${settings?.approvalPolicy}`,
        ...turns,
        '',
      ].join('\n');
    });
    await expect(summaries.join('\n')).toMatchFileSnapshot(path.join(folder, 'as-read.txt'));
  });

  async function openFor(name: string, wire: Wire): Promise<{ chat: Scenario; id: string }> {
    const chat = await startScenario({ wire, sandbox: 'danger-full-access', model: () => [says('Welcome back.')] });
    const { meta } = readThread(name);
    const stored = homeOf(`rollout-${meta.timestamp.slice(0, 19).replaceAll(':', '-')}-${meta.id}.jsonl`);
    mkdirSync(path.dirname(chat.home.at(stored)), { recursive: true });
    writeFileSync(chat.home.at(stored), textOf(name));
    return { chat, id: meta.id };
  }

  /** The texts of the thread that a request must contain again, in order. */
  function saidIn(name: string): readonly string[] {
    const messages = normalize(readThread(name).history).filter((item) => item.type === 'message');
    return messages.flatMap(({ content }) => content.flatMap((part) => ('text' in part ? [part.text] : [])));
  }

  function expectInOrder(request: string, texts: readonly string[]): void {
    let at = 0;
    const missing = texts.filter((text) => {
      const found = request.indexOf(JSON.stringify(text).slice(1, -1), at);
      at = Math.max(at, found);
      return found < 0;
    });
    expect(missing).toEqual([]);
  }

  test.each(names)('are resumed: %s', async (name) => {
    for (const wire of WIRES) {
      const { chat, id } = await openFor(name, wire);
      await using _server = chat.server;
      const resumed = await chat.service.resume({ id }, ...chat.thread);
      if (resumed.type !== 'resumed') throw new Error(JSON.stringify(resumed));
      const thread = chat.with(resumed.session);
      expect(await thread.send('Where were we?')).toEqual({ type: 'turn_completed', lastMessage: 'Welcome back.' });
      expectInOrder(chat.server.lastRequest.text, [...saidIn(name), 'Where were we?']);
      await resumed.session.dispose();
      await close(chat);
    }
  });

  test.each(names)('are forked, whole and before the last message: %s', async (name) => {
    const { chat, id } = await openFor(name, 'responses');
    await using _server = chat.server;
    const messages = readThread(name).state.turns.flatMap(({ items }) =>
      items.filter((item) => item.type === 'user_message'),
    );
    const last = messages.at(-1);
    for (const itemId of [null, last?.id ?? null]) {
      const forked = await chat.service.fork({ id }, itemId, ...chat.thread);
      if (forked.type !== 'resumed') throw new Error(JSON.stringify(forked));
      expect(forked.draft).toEqual(itemId === null ? null : last?.content);
      const thread = chat.with(forked.session);
      expect(await thread.send('And now?')).toEqual({ type: 'turn_completed', lastMessage: 'Welcome back.' });
      if (itemId === null) expectInOrder(chat.server.lastRequest.text, [...saidIn(name), 'And now?']);
      await forked.session.dispose();
    }
    await close(chat);
  });
});

async function close({ session, folder, home }: Scenario): Promise<void> {
  await session.dispose();
  folder[Symbol.dispose]();
  home[Symbol.dispose]();
}
