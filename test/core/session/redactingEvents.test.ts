import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RedactingEvents } from '../../../src/core/session/redactingEvents.ts';
import { SecretRedactor } from '../../../src/core/util/secretRedactor.ts';
import type { EventMsg } from '../../../src/protocol/event.ts';

const KINDS = ['text', 'summary', 'raw', 'patch'] as const;
const TURN = 'turn';

const pieces = fc.array(
  fc.tuple(
    fc.constantFrom(...KINDS),
    fc.constantFrom('a', 'b'),
    fc.string({ unit: fc.constantFrom('s', 'e', 'sam', 'sesame', ' '), maxLength: 4 }),
  ),
  { maxLength: 40 },
);

/** The texts of the events, by item and kind, and every text by itself. */
function tell(sent: readonly EventMsg[]) {
  const keys = new SecretRedactor();
  keys.add('sesame');
  const events = new RedactingEvents(keys);
  const told = sent.flatMap((msg) => events.take(TURN, msg));
  const texts = new Map<string, string>();
  for (const { msg } of told) {
    if (msg.type === 'item_delta') {
      const id = `${msg.kind} ${msg.itemId}`;
      texts.set(id, (texts.get(id) ?? '') + msg.text);
    }
  }
  return { told, texts, hide: (text: string) => keys.hide(text) };
}

it('the deltas of every text add up to its redacted text, and no partial text shows a key', () => {
  fc.assert(
    fc.property(pieces, fc.constantFrom('items', 'turn'), (deltas, end) => {
      const ends: EventMsg[] =
        end === 'turn'
          ? [{ type: 'turn_aborted', reason: 'interrupted' }]
          : ['a', 'b'].map((id) => ({
              type: 'item_completed',
              item: { id, type: 'agent_message', status: 'completed', text: 'sesame' },
            }));
      const sent: EventMsg[] = deltas.map(([kind, itemId, text]) => ({ type: 'item_delta', itemId, kind, text }));
      const { told, texts, hide } = tell([...sent, ...ends]);
      const whole = new Map<string, string>();
      for (const [kind, itemId, text] of deltas) {
        whole.set(`${kind} ${itemId}`, (whole.get(`${kind} ${itemId}`) ?? '') + text);
      }
      for (const [id, text] of whole) expect(texts.get(id) ?? '').toBe(hide(text));
      expect(told.every(({ turnId }) => turnId === TURN)).toBe(true);
      expect(JSON.stringify(told)).not.toContain('sesame');
      expect(told.at(-1)?.msg.type).toBe(ends.at(-1)?.type);
    }),
  );
});

it('a section of a summary ends before its break', () => {
  const { told } = tell([
    { type: 'item_delta', itemId: 'r', kind: 'summary', text: 'one s' },
    { type: 'item_delta', itemId: 'r', kind: 'section_break', text: '' },
    { type: 'item_delta', itemId: 'r', kind: 'summary', text: 'esame' },
  ]);
  expect(told.map(({ msg }) => (msg.type === 'item_delta' ? [msg.kind, msg.text] : []))).toEqual([
    ['summary', 'one '],
    ['summary', 's'],
    ['section_break', ''],
    ['summary', 'esame'],
  ]);
});

it('every other event is redacted, except fields that hold ids and kinds', () => {
  const { told } = tell([
    { type: 'warning', message: 'Is it sesame?' },
    { type: 'turn_completed', lastMessage: 'It is sesame.' },
  ]);
  expect(told.map(({ msg }) => msg)).toEqual([
    { type: 'warning', message: 'Is it [hidden]?' },
    { type: 'turn_completed', lastMessage: 'It is [hidden].' },
  ]);
});
