/** A server that closes the connection at any byte: each cut ends in a retry, and no tool runs twice. */
import { describe, expect, it } from 'vitest';
import type { EventMsg } from '../../src/protocol/event.ts';
import type { Ports } from '../../src/core/ports.ts';
import {
  calls,
  callsCustom,
  cutsAfter,
  reasons,
  recordStream,
  says,
  type Step,
  type Wire,
} from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';
import { placesBelow } from '../support/rounds.ts';

const WIRES: readonly Wire[] = ['responses', 'chat', 'messages'];

/** Delays between attempts take a hundredth of the reported time. */
const hurried = ({ clock }: Ports): Partial<Ports> => ({
  clock: { ...clock, sleep: (milliseconds, signal) => clock.sleep(milliseconds / 100, signal) },
});

const patch = (name: string) => `*** Begin Patch\n*** Add File: ${name}\n+one\n*** End Patch`;

/** Streams by their content; `name` differs in every turn, so that no call is taken for an earlier one. */
const STREAMS: Readonly<Record<string, (name: string) => readonly Step[]>> = {
  'text only': () => [says('Let me.')],
  'text and one call': (name) => [says('Let me.'), calls('count', { name }, { callId: name })],
  'text and two calls': (name) => [
    says('Let me.'),
    calls('count', { name }, { callId: `${name}a` }),
    calls('count', { name: 'other' }, { callId: `${name}b` }),
  ],
  'reasoning and one call': (name) => [
    reasons(['Hm', 'So'], { raw: 'hm', encrypted: 'sealed' }),
    calls('count', { name }, { callId: name }),
  ],
  'a free-text call': (name) => [says('Let me.'), callsCustom('apply_patch', patch(name), { callId: name })],
};

/**
 * Bytes between two cuts, besides those at the end of each event; each other one in one run. Every byte is tried in
 * test/core/model/streams.test.ts.
 */
const STRIDE = 211;

function placesOf(wire: Wire, steps: readonly Step[]): readonly number[] {
  const bytes = Buffer.from(recordStream(wire, steps));
  const ends = [...bytes.toString('latin1').matchAll(/\n\n/g)].map(({ index }) => index + 2);
  const places = new Set(ends.flatMap((end) => [end - 1, end]));
  for (let place = 0; place <= bytes.length; place += STRIDE) places.add(place);
  const all = [...places].filter((place) => place <= bytes.length).toSorted((left, right) => left - right);
  // Events of Messages are read by the decoder of the other wires: fewer places, except in a full run.
  const chosen = placesBelow(all.length, wire === 'messages' ? 8 : 2, [all.length - 1]);
  return chosen.map((index) => all[index] ?? 0);
}

/** Returns the number of calls that have started since `from`, and the ends of the turns. */
function happened(chat: Scenario, from: number) {
  const said: EventMsg[] = chat.events.slice(from).map(({ msg }) => msg);
  return {
    runs: said.filter((msg) => msg.type === 'dynamic_tool_requested' || (msg.type === 'item_completed' && applied(msg)))
      .length,
    ends: said.filter(({ type }) => type === 'turn_completed' || type === 'turn_aborted'),
    retries: said.filter(({ type }) => type === 'stream_error').length,
  };
}

function applied({ item }: Extract<EventMsg, { type: 'item_completed' }>): boolean {
  return item.type === 'file_change' && item.status === 'completed';
}

function callIdsIn(steps: readonly Step[]): readonly string[] {
  return steps.flatMap((step) => ('callId' in step && step.callId !== undefined ? [step.callId] : []));
}

describe.each(WIRES)('a server that closes at any byte, on %s', (wire) => {
  it.each(Object.keys(STREAMS))('%s: one outcome, and each tool at most once', async (stream) => {
    const stepsFor = STREAMS[stream] ?? (() => []);
    let steps: readonly Step[] = [];
    let cutAfter = 0;
    let asked = 0;
    await using chat = await startScenario({
      wire,
      modelName: 'gpt-5.5',
      provider: { dialect: 'openai' },
      policy: 'never',
      sandbox: 'danger-full-access',
      deps: hurried,
      // After the cut it sends the same response again, until it has seen an output of each of its calls.
      model: ({ text }) => {
        asked += 1;
        if (asked === 1) return [...steps, cutsAfter(cutAfter)];
        const ids = callIdsIn(steps);
        const answered = ids.length > 0 && ids.every((id) => text.split(`"${id}"`).length > 2);
        return answered ? [says('Done.')] : steps;
      },
    });
    chat.session.onEvent(({ msg }) => {
      if (msg.type !== 'dynamic_tool_requested') return;
      const contentItems = [{ type: 'input_text' as const, text: '1' }];
      chat.submit({ type: 'dynamic_tool_response', callId: msg.callId, contentItems, success: true });
    });
    const count = { name: 'count', description: 'Counts.', inputSchema: { type: 'object', properties: {} } };
    chat.submit({ type: 'register_tools', tools: [count] });

    const seen = new Set<string>();
    const places = placesOf(wire, stepsFor('turn-0000'));
    for (const place of places) {
      const name = `turn-${String(place).padStart(4, '0')}`;
      [steps, cutAfter, asked] = [stepsFor(name), place, 0];
      const from = chat.events.length;
      const end = await chat.send('go');
      const { runs, ends, retries } = happened(chat, from);
      const lastMessage = callIdsIn(steps).length > 0 ? 'Done.' : 'Let me.';
      expect(end, `cut after ${place} bytes`).toEqual({ type: 'turn_completed', lastMessage });
      expect(ends, `cut after ${place} bytes`).toHaveLength(1);
      expect(runs, `cut after ${place} bytes`).toBe(callIdsIn(steps).length);
      expect(retries, `cut after ${place} bytes`).toBeLessThanOrEqual(1);
      seen.add(retries === 0 ? 'whole' : 'retried');
    }
    expect(seen).toContain('retried');
    // Text that was sent on both sides of a cut is recorded once.
    const said = chat.items('agent_message').filter(({ text, status }) => text === 'Let me.' && status === 'completed');
    expect(said).toHaveLength(steps[0]?.type === 'says' ? places.length : 0);
  });
});
