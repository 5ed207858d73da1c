/** A turn that is interrupted at each of its events, and a thread whose rollout is damaged at each line. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replay } from '../../../src/core/rollout/replay.ts';
import { textOf } from '../../../src/protocol/responseItem.ts';
import { FakeSession, type ModelStep, PATH } from '../../support/fakeSession.ts';
import { MemoryStorage } from '../../support/memoryStorage.ts';
import { pairingBreaches } from '../../support/modelServer.ts';
import { rounds } from '../../support/rounds.ts';

const run = (cmd: string): ModelStep => ({ type: 'calls', name: 'exec_command', arguments: JSON.stringify({ cmd }) });
const ANSWERS: readonly (readonly ModelStep[])[] = [
  [{ type: 'thinks', text: 'Hm.' }, { type: 'says', text: 'Looking.' }, run('make one'), run('ls')],
  [{ type: 'fails', retryable: true }],
  [
    { type: 'patches', patch: '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch' },
    run('make two'),
  ],
];

/** The same turn, every request approved; `onEvent` gets each event. */
function recorded(onEvent: (chat: FakeSession, count: number) => void): FakeSession {
  const chat = new FakeSession({ answers: ANSWERS, settings: { approvalPolicy: 'untrusted' } });
  let count = 0;
  chat.session.onEvent(({ msg }) => {
    onEvent(chat, ++count);
    if (msg.type !== 'approval_requested') return;
    chat.submit({ type: 'approval', approvalIds: [msg.approvalId], decision: 'approved' });
  });
  chat.say('go');
  return chat;
}

function breaches(chat: FakeSession): string[] {
  return chat.model.prompts.flatMap(({ input }) => pairingBreaches({ wire: 'responses', input }));
}

describe('an interrupt', () => {
  it('at any event ends the turn once, keeps completed items, and leaves a thread that can continue', async () => {
    const whole = recorded(() => {});
    await whole.session.idle();
    await whole.session.dispose();
    const length = whole.events.findIndex(({ msg }) => msg.type === 'turn_completed');
    expect(length).toBeGreaterThan(30);
    let stopped = 0;
    for (let at = 1; at <= length; at++) {
      const chat = recorded((chat, count) => {
        if (count === at) chat.submit({ type: 'interrupt' });
      });
      await chat.session.idle();
      const finished = chat.said('item_completed').filter(({ item }) => item.status === 'completed').length;
      chat.say('and now?');
      await chat.session.idle();
      await chat.session.dispose();
      expect(breaches(chat)).toEqual([]);
      expect(chat.state.turns.map(({ items }) => items.filter(({ status }) => status === 'in_progress'))).toEqual([
        [],
        [],
      ]);
      const shown = chat.state.turns[0]?.items ?? [];
      expect(shown.filter(({ status }) => status === 'completed')).toHaveLength(finished);
      expect(chat.exec.running).toBe(0);
      // Together with the last event it comes too late.
      const [first] = chat.state.turns;
      if (first?.status.type === 'completed') continue;
      stopped++;
      expect(chat.said('turn_aborted')).toEqual([{ type: 'turn_aborted', reason: 'interrupted' }]);
      const last = chat.model.prompts.at(-1)?.input ?? [];
      const marks = last.filter((item) => item.type === 'message' && textOf(item.content).startsWith('<turn_aborted>'));
      expect(marks).toHaveLength(1);
    }
    expect(stopped).toBeGreaterThan(length - 5);
  });
});

describe('a process that ends at any line', () => {
  it('leaves a message that is sent once when the turn is tried again', async () => {
    const chat = new FakeSession({ answers: [[{ type: 'fails', retryable: false }]] });
    chat.say('go');
    await chat.session.idle();
    await chat.session.dispose();
    const lines = (chat.storage.files.get(PATH) ?? '').split('\n');
    const shown = lines.findIndex((line) => line.includes('"user_message"'));
    expect(shown).toBeGreaterThan(0);
    for (let end = shown + 1; end < lines.length; end++) {
      const next = new FakeSession({ storage: new MemoryStorage({ [PATH]: `${lines.slice(0, end).join('\n')}\n` }) });
      next.submit({ type: 'retry' });
      await next.session.idle();
      const sent = (next.model.prompts.at(-1)?.input ?? []).filter(
        (item) => item.type === 'message' && textOf(item.content) === 'go',
      );
      expect(sent, `after ${lines[end - 1]}`).toHaveLength(1);
      await next.session.dispose();
    }
  });
});

describe('a process that ends between two lines', () => {
  it('leaves no reasoning without the item that it belongs to', async () => {
    const chat = recorded((chat, count) => {
      if (count === 40) chat.submit({ type: 'interrupt' });
    });
    await chat.session.idle();
    await chat.session.dispose();
    const lines = (chat.storage.files.get(PATH) ?? '').split('\n');
    const thought = lines.findIndex((line) => line.includes('"type":"reasoning","summary"'));
    expect(thought).toBeGreaterThan(0);
    for (let end = thought; end < thought + 4; end++) {
      const next = new FakeSession({ storage: new MemoryStorage({ [PATH]: `${lines.slice(0, end).join('\n')}\n` }) });
      next.session.endOfInput();
      await next.session.idle();
      next.say('still there?');
      await next.session.idle();
      await next.session.dispose();
      expect(breaches(next), `after ${lines[end - 1]}`).toEqual([]);
      const isWhole = end > thought + 1;
      const kept = next.model.prompts.at(-1)?.input.some(({ type }) => type === 'reasoning');
      expect(kept, `after ${lines[end - 1]}`).toBe(isWhole);
    }
  });
});

describe('a response of reasoning alone', () => {
  it('is no part of the next request, unless the server goes on', async () => {
    const thinks: ModelStep = { type: 'thinks', text: 'Hm.' };
    const chat = new FakeSession({
      answers: [[thinks], [thinks, { type: 'goes_on' }], [{ type: 'says', text: 'Hi.' }]],
    });
    for (const words of ['go', 'go on']) {
      chat.say(words);
      await chat.session.idle();
    }
    await chat.session.dispose();
    expect(breaches(chat)).toEqual([]);
    const thoughts = chat.model.prompts.map(({ input }) => input.filter(({ type }) => type === 'reasoning').length);
    expect(thoughts).toEqual([0, 0, 1]);
    expect(chat.said('item_completed').filter(({ item }) => item.type === 'reasoning')).toHaveLength(2);
  });
});

describe('a thread with a damaged rollout', () => {
  it('continues with the intact part, and loses nothing more', async () => {
    const chat = recorded((chat, count) => {
      if (count === 40) chat.submit({ type: 'interrupt' });
    });
    await chat.session.idle();
    await chat.session.dispose();
    const text = chat.storage.files.get(PATH) ?? '';
    const first = text.indexOf('\n') + 1;
    const damage = fc.record({
      at: fc.nat(text.length - first - 1),
      length: fc.nat(300),
      junk: fc.oneof(fc.string(), fc.constantFrom('', '\n', '{}\n', '{"type":"world_state","payload":{}}\n', '\u0000')),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (damages) => {
        const damaged = damages.reduce(
          (text, { at, length, junk }) => text.slice(0, first + at) + junk + text.slice(first + at + length),
          text,
        );
        // The storage terminates a torn last line when it opens a file.
        const storage = new MemoryStorage({ [PATH]: damaged.endsWith('\n') ? damaged : `${damaged}\n` });
        const next = new FakeSession({ storage });
        next.session.endOfInput();
        await next.session.idle();
        next.say('still there?');
        await next.session.idle();
        await next.session.dispose();
        expect(breaches(next)).toEqual([]);
        expect(next.state.turns.at(-1)?.status.type).toBe('completed');
        // Lines that could not be parsed are still there, byte for byte.
        expect(storage.files.get(PATH)?.startsWith(damaged)).toBe(true);
        expect(replay(storage.files.get(PATH) ?? '').type).toBe('thread');
      }),
      { numRuns: rounds(100, 3000) },
    );
  });
});
