/** A started turn ends exactly once and keeps its message, whichever call of a port throws. */
import { describe, expect, it } from 'vitest';
import { textOf } from '../../../src/protocol/responseItem.ts';
import { textOfInput, type ThreadState } from '../../../src/protocol/thread.ts';
import { FakeSession, type ModelStep, tick } from '../../support/fakeSession.ts';

const run: ModelStep = { type: 'calls', name: 'exec_command', arguments: '{"cmd":"make ok"}' };
const patch: ModelStep = {
  type: 'patches',
  patch: '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch',
};

/** The calls of each function that are broken, one after the other. Later ones are like these. */
const CALLS_OF_EACH = 2;

/** Throws in the call of a port with this number, among the first calls of each function after `count`. */
class Fault {
  #calls: number | undefined;
  readonly #callsOf = new Map<string, number>();
  /** The call that has thrown. */
  thrownIn: string | undefined;
  readonly #at: number;

  constructor(at: number) {
    this.#at = at;
  }

  count(): void {
    this.#calls = 0;
  }

  stop(): void {
    this.#calls = undefined;
  }

  #isNext(called: string): boolean {
    if (this.#calls === undefined) return false;
    const before = this.#callsOf.get(called) ?? 0;
    this.#callsOf.set(called, before + 1);
    return before < CALLS_OF_EACH && this.#calls++ === this.#at;
  }

  between = <Port extends object>(port: Port, name: string): Port =>
    new Proxy(port, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          const called = `${name}.${String(key)}`;
          if (this.#isNext(called)) {
            this.thrownIn = called;
            throw new Error(`${called} is broken.`);
          }
          return Reflect.apply(value, target, given);
        };
      },
    });
}

async function within(ticks: number, isDone: () => boolean): Promise<boolean> {
  for (let left = ticks; left > 0 && !isDone(); left--) await tick();
  return isDone();
}

function messagesOf({ turns }: ThreadState): readonly string[] {
  return turns.flatMap(({ items }) =>
    items.flatMap((item) => (item.type === 'user_message' ? [textOfInput(item.content)] : [])),
  );
}

/** The messages of the user in the last request. */
function userTexts({ model }: FakeSession): readonly string[] {
  return (model.prompts.at(-1)?.input ?? []).flatMap((item) =>
    item.type === 'message' && item.role === 'user' ? [textOf(item.content)] : [],
  );
}

describe('a turn', () => {
  it('ends exactly once and keeps its message, whichever call of a port throws, and the next one runs', async () => {
    const thrown = new Set<string>();
    for (let at = 0; ; at++) {
      const fault = new Fault(at);
      const chat = new FakeSession({ answers: [[run], [patch]], between: fault.between });
      fault.count();
      chat.say('go');
      expect(await within(1000, () => chat.session.isIdle), `idle after ${fault.thrownIn}`).toBe(true);
      const ends = chat.messages.filter(({ type }) => type === 'turn_completed' || type === 'turn_aborted');
      const starts = chat.said('turn_started');
      expect([starts.length, ends.length], `starts and ends after ${fault.thrownIn}`).toEqual([1, 1]);
      fault.stop();
      chat.say('again');
      expect(await within(1000, () => chat.session.isIdle), `idle again after ${fault.thrownIn}`).toBe(true);
      expect(chat.state.turns.map(({ status }) => status.type).at(-1), `after ${fault.thrownIn}`).toBe('completed');
      expect(messagesOf(chat.state), `messages after ${fault.thrownIn}`).toEqual(['go', 'again']);
      expect(userTexts(chat), `what the model got after ${fault.thrownIn}`).toEqual(
        expect.arrayContaining(['go', 'again']),
      );
      await chat.session.dispose();
      if (fault.thrownIn === undefined) break;
      thrown.add(fault.thrownIn);
    }
    expect([...thrown]).toEqual(expect.arrayContaining(['models.connect', 'exec.spawn', 'storage.openAppend']));
  });

  it('that cannot be prepared leaves its message to a resumed thread, which can try again', async () => {
    const fault = new Fault(0);
    const first = new FakeSession({ between: (port, name) => (name === 'models' ? fault.between(port, name) : port) });
    fault.count();
    const content = [
      { type: 'text' as const, text: 'go' },
      { type: 'local_image' as const, path: 'missing.png' },
    ];
    first.submit({ type: 'user_turn', input: content });
    await first.session.idle();
    expect(first.said('error').map(({ detail }) => detail)).toEqual(['models.connect is broken.']);
    await first.session.dispose();

    const second = new FakeSession({ storage: first.storage });
    expect(messagesOf(second.state)).toEqual(messagesOf(first.state));
    second.submit({ type: 'retry' });
    await second.session.idle();
    expect(second.state.turns.at(-1)?.status.type).toBe('completed');
    expect(userTexts(second).at(-1)).toContain('go');
    await second.session.dispose();
  });

  it('keeps its message when its window is reloaded, at whatever moment of its start', async () => {
    const slow = <Port extends object>(port: Port): Port =>
      new Proxy(port, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key, target);
          if (typeof value !== 'function' || !['readText', 'stat', 'openAppend'].includes(String(key))) return value;
          return async (...args: unknown[]) => {
            await tick();
            return Reflect.apply(value, target, args) as unknown;
          };
        },
      });
    for (let ticks = 1; ticks < 12; ticks++) {
      const first = new FakeSession({ between: slow, answers: [[run], [{ type: 'hangs' }]] });
      first.say('go');
      for (let left = ticks; left > 0; left--) await tick();
      await first.session.suspend();
      const second = new FakeSession({ storage: first.storage });
      expect(messagesOf(second.state), `shown after ${ticks}`).toEqual(['go']);
      second.submit({ type: 'retry' });
      await second.session.idle();
      expect(
        userTexts(second).filter((text) => text === 'go'),
        `sent after ${ticks}`,
      ).toEqual(['go']);
      await second.session.dispose();
    }
  });

  it('that cannot be prepared reads the mentions of its message when it is tried again', async () => {
    const fault = new Fault(0);
    const chat = new FakeSession({ between: (port, name) => (name === 'models' ? fault.between(port, name) : port) });
    fault.count();
    const file = { type: 'mention' as const, kind: 'file' as const, name: 'a.txt', path: '/work/a.txt' };
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'look' }, file] });
    await chat.session.idle();
    fault.stop();
    chat.submit({ type: 'retry' });
    await chat.session.idle();
    expect(userTexts(chat).filter((text) => text.startsWith('look'))).toEqual([
      expect.stringMatching(/^look.*\none\n/s),
    ]);
    await chat.session.dispose();
  });
});
