/** A key that a model streams in pieces never stands in the panel, not even for a moment. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyHider } from '../../src/core/util/keyHider.ts';
import { mapTexts } from '../../src/core/util/mapTexts.ts';
import type { Event, EventMsg, TurnSettings } from '../../src/protocol/event.ts';
import { initialThreadState, type ThreadState, threadReducer } from '../../src/protocol/thread.ts';
import { HiddenStream } from '../../src/vscode/hiddenStream.ts';
import { snapshotOf } from '../../src/vscode/snapshot.ts';
import { rounds } from '../support/rounds.ts';

const KEY = 'sesame';

const settings: TurnSettings = {
  box: 'none',
  cwd: '/w',
  model: 'm',
  approvalPolicy: 'on-request',
  sandboxPolicy: { type: 'read-only', networkAccess: false },
  effort: null,
  summary: 'auto',
};

/** The host's thread, and the page that hears of it from some moment on. */
class Wire {
  readonly keys = new KeyHider();
  readonly #stream = new HiddenStream(this.keys);
  host: ThreadState = initialThreadState('t');
  page: ThreadState | undefined;
  told: Event[] = [];
  #seq = 0;

  constructor() {
    this.keys.add(KEY);
    this.say({ type: 'turn_started', settings, contextWindow: null });
    this.say({ type: 'item_started', item: { id: 'm', type: 'agent_message', text: '', status: 'in_progress' } });
    this.say({ type: 'item_started', item: { id: 'r', type: 'reasoning', summary: [], status: 'in_progress' } });
    const process = { processId: 'p', itemId: 'c', command: 'cat', cwd: '/w', box: 'none' } as const;
    this.say({ type: 'process_started', ...process });
  }

  say(msg: EventMsg): void {
    const turnId = msg.type.startsWith('process') ? null : 'turn';
    const event = { v: 1, seq: ++this.#seq, at: '', threadId: 't', turnId, submissionId: null, msg } as const;
    this.host = threadReducer(this.host, event);
    if (this.page === undefined) return;
    const told = this.#stream.take(event);
    this.told.push(...told);
    this.page = told.reduce(threadReducer, this.page);
  }

  openPage(): void {
    const snapshot = snapshotOf(this.#stream.begin(this.host)).thread;
    // As every message to the page.
    this.page = mapTexts(snapshot, (one) => this.keys.hide(one)) as ThreadState;
  }
}

/** Every text of a thread that a stream makes grow. */
function textsOf(state: ThreadState | undefined): readonly string[] {
  const items = state?.turns.flatMap((turn) => turn.items) ?? [];
  const said = items.flatMap((item) => {
    if (item.type === 'agent_message') return [item.text];
    return item.type === 'reasoning' ? [item.raw ?? '', ...item.summary] : [];
  });
  return [...said, ...(state?.processes.map(({ output }) => output) ?? [])];
}

const text = fc.oneof(fc.constantFrom('se', 'same', 's', 'sesame', 'ses', 'e'), fc.string({ maxLength: 4 }));
const delta = fc.oneof(
  text.map((one): EventMsg => ({ type: 'item_delta', itemId: 'm', kind: 'text', text: one })),
  text.map((one): EventMsg => ({ type: 'item_delta', itemId: 'r', kind: 'summary', text: one })),
  text.map((one): EventMsg => ({ type: 'item_delta', itemId: 'r', kind: 'raw', text: one })),
  text.map((one): EventMsg => ({ type: 'process_output', processId: 'p', stream: 'stdout', text: one })),
  text.map((one): EventMsg => ({ type: 'process_output', processId: 'p', stream: 'stderr', text: one })),
  fc.constant<EventMsg>({ type: 'item_delta', itemId: 'r', kind: 'section_break', text: '' }),
);

describe('a key in pieces', () => {
  it('is never shown, whenever the page opens, and nothing else is lost', () => {
    fc.assert(
      fc.property(fc.array(delta), fc.array(delta), (before, after) => {
        const wire = new Wire();
        for (const msg of before) wire.say(msg);
        wire.openPage();
        for (const msg of after) {
          wire.say(msg);
          for (const shown of textsOf(wire.page)) expect(shown).not.toContain(KEY);
        }
        wire.say({ type: 'process_exited', processId: 'p', exitCode: 0 });
        wire.say({ type: 'turn_aborted', reason: 'interrupted' });
        expect(textsOf(wire.page)).toEqual(textsOf(wire.host).map((one) => wire.keys.hide(one)));
        expect(wire.page?.lastSeq).toBe(wire.host.lastSeq);
      }),
      { numRuns: rounds(200, 5000) },
    );
  });

  it('holds up nothing but what may be its beginning', () => {
    const wire = new Wire();
    wire.openPage();
    const shown = () => textsOf(wire.page)[0];
    const say = (one: string) => wire.say({ type: 'item_delta', itemId: 'm', kind: 'text', text: one });
    say('The word is ');
    expect(shown()).toBe('The word is ');
    say('ses');
    expect(shown()).toBe('The word is ');
    say('sion');
    expect(shown()).toBe('The word is session');
    say(', or sesa');
    say('me');
    expect(shown()).toBe('The word is session, or [hidden]');
    say(' se');
    wire.say({
      type: 'item_completed',
      item: { id: 'm', type: 'agent_message', text: 'whole', status: 'completed' },
    });
    expect(shown()).toBe('whole');
  });

  it('costs nothing where no key is held: events go as they are', () => {
    const stream = new HiddenStream(new KeyHider());
    const wire = new Wire();
    expect(stream.begin(wire.host)).toBe(wire.host);
    const msg = { type: 'item_delta', itemId: 'm', kind: 'text', text: KEY } as const;
    const event: Event = { v: 1, seq: 99, at: '', threadId: 't', turnId: 'turn', submissionId: null, msg };
    expect(stream.take(event)[0]).toBe(event);
  });
});
