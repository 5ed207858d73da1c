/** A rollout is read as far as possible. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Recorder, rolloutPath } from '../../../src/core/rollout/recorder.ts';
import { type ReplayedThread, replay } from '../../../src/core/rollout/replay.ts';
import { MemoryStorage } from '../../support/memoryStorage.ts';
import { ROLLOUT, THREAD_ID } from './sampleRollout.ts';
import { rounds } from '../../support/rounds.ts';

const LINES = ROLLOUT.trimEnd().split('\n');

function threadOf(text: string): ReplayedThread {
  const result = replay(text);
  if (result.type !== 'thread') throw new Error(result.message);
  return result.thread;
}

const whole = threadOf(ROLLOUT);

describe('a whole rollout', () => {
  it('restores the thread', () => {
    expect(whole).toMatchObject({ dropped: 0, readOnly: false, meta: { id: THREAD_ID } });
    expect(whole.state.turns.map((turn) => [turn.status.type, turn.items.map(({ type }) => type)])).toEqual([
      ['completed', ['user_message', 'command_execution', 'agent_message']],
    ]);
    expect(whole.history.map(({ type }) => type)).toEqual([
      'message',
      'message',
      'function_call',
      'function_call_output',
      'message',
    ]);
    expect(whole.settings?.model).toBe('m');
    expect(whole.state.lastSeq).toBe(0);
  });

  it('of a newer format is read-only, and keeps the lines that could be parsed', () => {
    const newer = ROLLOUT.replace('"version":1', '"version":2').replace(
      '\n',
      '\n{"timestamp":"","type":"world_state","payload":{}}\n',
    );
    const thread = threadOf(newer);
    expect(thread).toMatchObject({ readOnly: true, dropped: 1 });
    expect(thread.state.turns).toEqual(whole.state.turns);
  });

  it('starts from the summary where it was compacted', () => {
    const replacement = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'summary' }] }];
    const compacted = JSON.stringify({
      timestamp: '',
      type: 'compacted',
      payload: { message: 'summary', replacement_history: replacement },
    });
    expect(threadOf(`${ROLLOUT}${compacted}\n`).history).toEqual(replacement);
  });
});

describe('a damaged rollout', () => {
  it('may have lost its very first write, if it was written again', () => {
    const torn = `${LINES[0]?.slice(0, 40)}\n${ROLLOUT}`;
    expect(threadOf(torn)).toMatchObject({ dropped: 1, meta: whole.meta, history: whole.history });
  });

  it('never throws, whatever characters change, and drops only the changed lines', () => {
    const damage = fc.record({
      at: fc.nat(ROLLOUT.length - 1),
      length: fc.nat(200),
      text: fc.oneof(fc.string(), fc.constantFrom('', '\n', '{}', 'null', '\u0000', '"', '}\n{')),
    });
    fc.assert(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 4 }), (damages) => {
        const text = damages.reduce(
          (text, { at, length, text: inserted }) => text.slice(0, at) + inserted + text.slice(at + length),
          ROLLOUT,
        );
        const result = replay(text);
        if (result.type === 'unreadable') {
          expect(text.split('\n')).not.toContain(LINES[0]);
          return;
        }
        const lines = text.split('\n').filter((line) => line !== '');
        const untouched = lines.filter((line) => LINES.includes(line));
        expect(result.thread.dropped).toBeLessThanOrEqual(lines.length - untouched.length);
      }),
      { numRuns: rounds(200, 5000) },
    );
  });

  it('loses only the part after the byte at which it is cut', () => {
    for (let end = LINES[0]?.length ?? 0; end < ROLLOUT.length; end += 37) {
      const complete = ROLLOUT.slice(0, end).split('\n').slice(0, -1);
      const cut = threadOf(ROLLOUT.slice(0, end));
      const known = threadOf(complete.length > 0 ? `${complete.join('\n')}\n` : `${LINES[0]}\n`);
      const lost =
        ROLLOUT.slice(0, end).split('\n').at(-1) !== '' &&
        !LINES.includes(ROLLOUT.slice(0, end).split('\n').at(-1) ?? '');
      if (lost) expect({ ...cut, dropped: 0 }).toEqual({ ...known, dropped: 0 });
      expect(cut.dropped).toBe(lost ? 1 : 0);
    }
  });

  it('without any one of its lines is still a thread', () => {
    for (let left = 1; left < LINES.length; left++) {
      const thread = threadOf(LINES.toSpliced(left, 1).join('\n'));
      expect(thread.dropped).toBe(0);
    }
  });

  it('is refused only when no line names the thread', () => {
    for (const text of ['', '\n\n', 'not json\n', LINES.slice(1).join('\n'), '{"type":"session_meta","payload":{}}']) {
      expect(replay(text)).toEqual({ type: 'unreadable', message: expect.any(String) });
    }
  });
});

describe('a recorder', () => {
  const clock = { now: () => new Date(0), monotonic: () => 0, sleep: async () => {}, after: () => () => {} };
  const entry = (text: string) =>
    ({
      type: 'event_msg',
      payload: { turnId: null, submissionId: null, msg: { type: 'warning', message: text } },
    }) as const;
  const warnings = (storage: MemoryStorage) =>
    (storage.files.get('r.jsonl') ?? '').split('\n').flatMap((line) => {
      try {
        return [(JSON.parse(line) as { payload: { msg: { message: string } } }).payload.msg.message];
      } catch {
        return [];
      }
    });

  it('writes nothing before it is opened, and then all of it', async () => {
    const storage = new MemoryStorage();
    const recorder = new Recorder('r.jsonl', { storage, clock });
    recorder.record(entry('one'));
    expect(storage.files.size).toBe(0);
    await recorder.open();
    recorder.record(entry('two'));
    await recorder.open();
    expect(warnings(storage)).toEqual(['one', 'two']);
  });

  it('reports a full disk, and writes the missing lines as soon as there is space, each once and whole', async () => {
    const storage = new MemoryStorage();
    const recorder = new Recorder('r.jsonl', { storage, clock });
    await recorder.open();
    recorder.record(entry('one'));
    storage.refuses = () => true;
    expect(() => recorder.record(entry('two'))).toThrow('ENOSPC');
    expect(() => recorder.record(entry('three'))).toThrow('ENOSPC');
    storage.refuses = undefined;
    recorder.record(entry('four'));
    expect(warnings(storage)).toEqual(['one', 'two', 'three', 'four']);
  });

  it('uses the documented path', () => {
    expect(rolloutPath('id', new Date('2026-01-02T03:04:05.678Z'))).toBe(
      'threads/2026/01/02/rollout-2026-01-02T03-04-05-id.jsonl',
    );
  });
});
