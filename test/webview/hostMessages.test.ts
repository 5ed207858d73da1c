/** Messages from the host to the panel: few, none of them large (design §5, "host → panel"). */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'vitest';
import type { Event, EventMsg } from '../../src/protocol/event.ts';
import { initialThreadState, type ThreadState } from '../../src/protocol/thread.ts';
import { type PanelEvent, threadReducer } from '../../src/protocol/threadReducer.ts';
import { EventBatcher } from '../../src/vscode/chat/eventBatcher.ts';
import { snapshotOf } from '../../src/vscode/chat/snapshot.ts';

let seq = 0;
function event(msg: EventMsg): Event {
  return { v: 1, seq: ++seq, at: '2026-11-21T00:00:00.000Z', threadId: 't', turnId: null, submissionId: null, msg };
}

const printed = (processId: string, text: string, stream: 'stdout' | 'stderr' = 'stdout') =>
  event({ type: 'process_output', processId, text, stream });

describe('the output of processes', () => {
  it('is sent in one message as far as it belongs together', async () => {
    const sent: (readonly PanelEvent[])[] = [];
    const batcher = new EventBatcher((events) => sent.push(events));
    for (const word of ['a', 'b']) batcher.push(printed('1', word));
    batcher.push(printed('2', 'c'));
    batcher.push(printed('2', 'd', 'stderr'));
    batcher.push(event({ type: 'item_delta', itemId: 'i', kind: 'output', text: 'e', stream: 'stderr' }));
    await sleep(40);
    assert.deepEqual(
      sent.map((events) => events.map(({ msg }) => ('text' in msg ? msg.text : msg.type))),
      [['ab', 'c', 'd', 'e']],
    );
  });

  it('joins prose only as far as the panel draws it in one frame', () => {
    const sent: PanelEvent[] = [];
    const batcher = new EventBatcher((events) => sent.push(...events));
    const said = 'word '.repeat(3000);
    for (const word of said.split(/(?<= )/)) {
      batcher.push(event({ type: 'item_delta', itemId: 'i', kind: 'text', text: word }));
    }
    batcher.flush();
    const texts = sent.map(({ msg }) => (msg.type === 'item_delta' ? msg.text : ''));
    assert.equal(texts.join(''), said);
    assert.ok(texts.length < 15, `${texts.length}`);
    assert.ok(Math.max(...texts.map(({ length }) => length)) <= 3000);
  });

  it('never makes a large message', () => {
    const sizes: number[] = [];
    const batcher = new EventBatcher((events) => sizes.push(JSON.stringify(events).length));
    for (let count = 0; count < 100; count++) batcher.push(printed('1', 'x'.repeat(40_000)));
    batcher.flush();
    assert.ok(Math.max(...sizes) < 256_000, `${Math.max(...sizes)}`);
  });

  it('leaves room in a snapshot for all running processes', () => {
    let state: ThreadState = initialThreadState('t');
    for (let count = 0; count < 64; count++) {
      const processId = String(count);
      const msg = { type: 'process_started', processId, itemId: 'i', command: 'yes', cwd: '/', box: 'none' } as const;
      state = threadReducer(state, event(msg));
      state = threadReducer(state, printed(processId, 'y\n'.repeat(100_000)));
    }
    assert.ok(JSON.stringify(snapshotOf(state)).length < 256_000);
  });
});
