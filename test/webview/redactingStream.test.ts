/** A key that a model or a command prints in pieces is never shown in the panel, not even briefly. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SecretRedactor } from '../../src/core/util/secretRedactor.ts';
import { mapTexts } from '../../src/core/util/mapTexts.ts';
import { type Event, type EventMsg, eventSchema, type TurnSettings } from '../../src/protocol/event.ts';
import { type TurnItem, turnItemSchema } from '../../src/protocol/item.ts';
import { initialThreadState, type ThreadState } from '../../src/protocol/thread.ts';
import { foldPanelEvent, LIVE_OUTPUT_LIMIT, type PanelEvent, threadReducer } from '../../src/protocol/threadReducer.ts';
import { RedactingStream } from '../../src/vscode/chat/redactingStream.ts';
import { snapshotOf } from '../../src/vscode/chat/snapshot.ts';
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

/** The host's thread, and a page that opens at some moment. */
class Wire {
  readonly keys = new SecretRedactor();
  readonly #stream = new RedactingStream(this.keys);
  host: ThreadState = initialThreadState('t');
  page: ThreadState | undefined;
  /** Everything that was sent, and the state of the host at that moment. */
  readonly sent: { readonly event: Event; readonly updates: readonly PanelEvent[] }[] = [];
  #seq = 0;

  constructor() {
    this.keys.add(KEY);
    this.say({ type: 'turn_started', settings, contextWindow: null });
    this.say({ type: 'item_started', item: { id: 'm', type: 'agent_message', text: '', status: 'in_progress' } });
    this.say({ type: 'item_started', item: { id: 'r', type: 'reasoning', summary: [], status: 'in_progress' } });
    this.say({ type: 'item_started', item: { ...COMMAND, status: 'in_progress' } });
    const process = { processId: 'p', itemId: 'c', command: 'cat', cwd: '/w', box: 'none' } as const;
    this.say({ type: 'process_started', ...process });
  }

  say(msg: EventMsg): void {
    const turnId = msg.type.startsWith('process') ? null : 'turn';
    const event = { v: 1, seq: ++this.#seq, at: '', threadId: 't', turnId, submissionId: null, msg } as const;
    this.host = threadReducer(this.host, event);
    if (this.page === undefined) return;
    const updates = mapTexts(this.#stream.take(event), (one) => this.keys.hide(one)) as readonly PanelEvent[];
    this.sent.push({ event, updates });
    this.page = updates.reduce(foldPanelEvent, this.page);
  }

  openPage(): void {
    const snapshot = snapshotOf(this.#stream.begin(this.host)).thread;
    // Like every message to the page.
    this.page = mapTexts(snapshot, (one) => this.keys.hide(one)) as ThreadState;
  }
}

const COMMAND = {
  type: 'command_execution',
  id: 'c',
  callId: 'c',
  command: 'cat',
  argv: [] as string[],
  cwd: '/w',
  box: 'none',
  exitCode: null,
  durationMs: 0,
  output: '',
} as const;

/** Every streamed text of a thread. */
function textsOf(state: ThreadState | undefined): readonly string[] {
  const items = state?.turns.flatMap((turn) => turn.items) ?? [];
  const said = items.flatMap((item) => {
    if (item.type === 'agent_message') return [item.text];
    if (item.type === 'command_execution') return [item.output];
    return item.type === 'reasoning' ? [item.raw ?? '', ...item.summary] : [];
  });
  return [...said, ...(state?.processes.map(({ output }) => output) ?? [])];
}

const text = fc.oneof(fc.constantFrom('se', 'same', 's', 'sesame', 'ses', 'e'), fc.string({ maxLength: 4 }));
const delta = fc.oneof(
  text.map((one): EventMsg => ({ type: 'item_delta', itemId: 'm', kind: 'text', text: one })),
  text.map((one): EventMsg => ({ type: 'item_delta', itemId: 'r', kind: 'summary', text: one })),
  text.map((one): EventMsg => ({ type: 'item_delta', itemId: 'r', kind: 'raw', text: one })),
  text.map((one): EventMsg => ({ type: 'item_delta', itemId: 'c', kind: 'output', text: one })),
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
        // An event is sent unchanged or not at all; a changed state is sent as a snapshot.
        for (const { event, updates } of wire.sent) {
          for (const update of updates) if ('seq' in update) expect(eventSchema.parse(update)).toEqual(event);
        }
      }),
      { numRuns: rounds(200, 5000) },
    );
  });

  it('delays only a possible beginning of a key', () => {
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

  it('is redacted where the output of a call ends and the output of its process continues', () => {
    const ends = { ...COMMAND, status: 'completed', processId: 'p', output: 'the word: sesa' } as const;
    const joined = ({ page }: Wire) => {
      const item = page?.turns[0]?.items.find(({ id }) => id === 'c');
      return (item?.type === 'command_execution' ? item.output : '') + page?.processes[0]?.output;
    };
    const goOn = (wire: Wire) => wire.say({ type: 'process_output', processId: 'p', stream: 'stdout', text: 'me!' });
    const watched = new Wire();
    watched.openPage();
    watched.say({ type: 'item_completed', item: ends });
    goOn(watched);
    expect(joined(watched)).toBe('the word: [hidden]!');
    const openedLater = new Wire();
    openedLater.say({ type: 'item_completed', item: ends });
    openedLater.openPage();
    goOn(openedLater);
    expect(joined(openedLater)).toBe('the word: [hidden]!');
    const openedLast = new Wire();
    openedLast.say({ type: 'item_completed', item: ends });
    goOn(openedLast);
    openedLast.openPage();
    expect(joined(openedLast)).toBe('the word: [hidden]!');
  });

  it('does not show its second half where the reducer has cut a long output inside it', () => {
    const kept = (LIVE_OUTPUT_LIMIT * 3) / 4;
    const shownOf = (end: string) => {
      const wire = new Wire();
      wire.keys.add('same-word');
      wire.say({ type: 'item_delta', itemId: 'c', kind: 'output', text: 'x'.repeat(LIVE_OUTPUT_LIMIT) });
      wire.say({ type: 'item_delta', itemId: 'c', kind: 'output', text: end });
      wire.openPage();
      return textsOf(wire.page).find((one) => one !== '');
    };
    expect(shownOf(`open sesame${'x'.repeat(kept - 4)}`)).toBe('x'.repeat(kept - 4));
    // The rest of one key may be the beginning of another.
    expect(shownOf(`open sesame-word${'x'.repeat(kept - 9)}`)).toBe('x'.repeat(kept - 9));
    expect(shownOf(`open doors${'x'.repeat(kept - 4)}`)).toBe(`oors${'x'.repeat(kept - 4)}`);
  });

  it('does not show its second half where the snapshot omits the beginning of an output', () => {
    for (const exits of [true, false]) {
      const wire = new Wire();
      const text = `${'x'.repeat(5_000)}sesame${'y'.repeat(1_998)}`;
      wire.say({ type: 'process_output', processId: 'p', stream: 'stdout', text });
      if (exits) wire.say({ type: 'process_exited', processId: 'p', exitCode: 0 });
      wire.openPage();
      expect(wire.page?.processes[0]?.output).toMatch(/^(?!me).{2}y+$/);
    }
  });

  it('is redacted in every kind of item, in progress or not', () => {
    const text = `a ${KEY} b`;
    const items: Readonly<Record<TurnItem['type'], object>> = {
      user_message: { content: [{ type: 'text', text }] },
      agent_message: { text },
      reasoning: { summary: [text, text], raw: text },
      plan: { explanation: text, steps: [{ step: text, status: 'pending' }] },
      command_execution: { ...COMMAND, command: text, argv: [text], output: text },
      process_interaction: { callId: 'c', processId: 'p', command: text, chars: text },
      file_change: { callId: 'c', changes: [], diff: text, patch: text },
      mcp_tool_call: { callId: 'c', server: 's', tool: 't', arguments: { text }, error: text, durationMs: 0 },
      dynamic_tool_call: { callId: 'c', tool: 't', arguments: { text }, contentItems: [], success: null },
      web_search: { query: text },
      image_view: { path: text, why: text },
      file_lookup: { callId: 'c', action: 'search', path: text, pattern: text, why: text },
      code_navigation: { callId: 'c', op: 'hover', symbol: text, path: text, text, why: text },
      web_fetch: { callId: 'c', url: text, contentType: text, redirect: text, text, why: text },
      hook_run: { event: 'Stop', command: text, source: text, tool: text, effect: 'failed', text, durationMs: 0 },
      user_question: {
        callId: 'c',
        questions: [{ id: 'q', header: text, question: text, options: [{ label: text, description: text }] }],
        answers: { q: [text] },
        why: text,
      },
      sub_agent: { agentId: 'a', role: text, agentState: 'running', lastMessage: text },
      code_review: {
        target: { type: 'commit', commit: text, title: text },
        agentId: 'a',
        findings: [{ id: '1', title: text, body: text, path: text, quote: text, state: 'open' }],
        text,
      },
      compaction: { beforeTokens: 0, afterTokens: 0, summary: text },
    };
    for (const [type, fields] of Object.entries(items)) {
      for (const status of ['in_progress', 'completed'] as const) {
        const item = turnItemSchema.parse({ ...fields, id: 'new', type, status });
        const wire = new Wire();
        wire.say({ type: 'item_started', item: { ...item, status: 'in_progress' } });
        if (status === 'completed') wire.say({ type: 'item_completed', item });
        wire.openPage();
        const shown = wire.page?.turns[0]?.items.find(({ id }) => id === 'new');
        expect(shown).toEqual(mapTexts(item, (one) => wire.keys.hide(one)));
      }
    }
  });

  it('costs nothing where no key is held: events are sent unchanged', () => {
    const stream = new RedactingStream(new SecretRedactor());
    const wire = new Wire();
    expect(stream.begin(wire.host)).toBe(wire.host);
    const msg = { type: 'item_delta', itemId: 'm', kind: 'text', text: KEY } as const;
    const event: Event = { v: 1, seq: 99, at: '', threadId: 't', turnId: 'turn', submissionId: null, msg };
    expect(stream.take(event)[0]).toBe(event);
  });
});
