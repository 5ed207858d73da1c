/** The list of threads: it shows exactly what their rollouts contain. */
import { describe, expect, it } from 'vitest';
import { ThreadIndex } from '../../../src/core/rollout/threadIndex.ts';
import { MemoryStorage } from '../../support/memoryStorage.ts';
import { ROLLOUT, THREAD_ID } from './sampleRollout.ts';

const PATH = `threads/2026/11/21/rollout-2026-11-21T00-00-00-${THREAD_ID}.jsonl`;
const log = { debug() {}, info() {}, warn() {}, error() {} };
const indexOf = (storage: MemoryStorage) => new ThreadIndex({ storage, log });

function line(turnId: string | null, msg: Record<string, unknown>): string {
  const payload = { turnId, submissionId: null, msg };
  return `${JSON.stringify({ timestamp: '2026-11-22T00:00:00.000Z', type: 'event_msg', payload })}\n`;
}

const asked = line('turn_2', {
  type: 'approval_requested',
  approvalId: 'approval_1',
  itemId: 'item_9',
  callId: 'call_9',
  kind: 'command',
  reason: { source: 'policy', id: 'x', text: 'x' },
  choices: ['approved'],
});

describe('a summary', () => {
  it('has the fields of the list', async () => {
    const [summary] = await indexOf(new MemoryStorage({ [PATH]: ROLLOUT })).summaries();
    expect(summary).toEqual({
      id: THREAD_ID,
      path: PATH,
      title: 'go',
      preview: 'go',
      model: 'm',
      provider: 'p',
      originator: 'cli',
      cwd: '/work',
      folders: [],
      remote: null,
      startedAt: '2026-11-21T00:00:00.000Z',
      updatedAt: '2026-11-21T00:00:00.000Z',
      endedAt: '2026-11-21T00:00:00.000Z',
      turns: 1,
      tokens: 0,
      lastTurn: 'completed',
      forkedFrom: null,
      parentId: null,
    });
  });

  it('is the same in however many steps the file has grown', async () => {
    const more = [
      ROLLOUT,
      line(null, { type: 'title_changed', title: 'Ünamed 💡' }),
      asked,
      'not json\n{"torn":',
      '\n',
      line('turn_2', { type: 'approval_resolved', approvalId: 'approval_1', decision: 'approved', by: 'user' }),
      line('turn_2', { type: 'turn_aborted', reason: 'failed' }),
    ].join('');
    const growing = new MemoryStorage();
    const grown = indexOf(growing);
    const bytes = Buffer.from(more);
    for (let end = 100; end < bytes.length + 101; end += 101) {
      growing.files.set(PATH, bytes.subarray(0, end).toString('utf8').replace(/�+$/, ''));
      await grown.summaries();
    }
    growing.files.set(PATH, more);
    const whole = await indexOf(new MemoryStorage({ [PATH]: more })).summaries();
    expect(await grown.summaries()).toEqual(whole);
    expect(whole[0]).toMatchObject({ title: 'Ünamed 💡', lastTurn: 'failed', updatedAt: '2026-11-22T00:00:00.000Z' });
  });

  it('marks a thread with a pending request', async () => {
    const [summary] = await indexOf(new MemoryStorage({ [PATH]: ROLLOUT + asked })).summaries();
    expect(summary?.lastTurn).toBe('waiting');
  });
});

describe('the index', () => {
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, number) => {
      const id = THREAD_ID.replace(/.{4}$/, String(number).padStart(4, '0'));
      return [PATH.replace(THREAD_ID, id), ROLLOUT.replaceAll(THREAD_ID, id)];
    }),
  );

  it('leaves out files that are not threads', async () => {
    const storage = new MemoryStorage({ ...many, 'threads/notes.txt': 'x', 'threads/2026/rollout-x.jsonl': 'x\n' });
    expect(await indexOf(storage).summaries()).toHaveLength(300);
  });

  it('is stored, so that the next one reads only changed files', async () => {
    const storage = new MemoryStorage(many);
    const first = await indexOf(storage).summaries();
    expect(storage.files.has('index/threads.json')).toBe(true);
    let reads = 0;
    storage.onRead = () => reads++;
    const [path = ''] = Object.keys(many);
    storage.files.set(path, many[path] + asked);
    const second = await indexOf(storage).summaries();
    expect(reads).toBeLessThan(5);
    expect(second.slice(1)).toEqual(first.slice(1));
    expect(second[0]?.lastTurn).toBe('waiting');
  });

  it.each(['', 'not json', '{"version":2,"entries":[]}', '{"version":1,"entries":[{"path":1}]}', '[]'])(
    'is built again when it is damaged: %s',
    async (text) => {
      const whole = await indexOf(new MemoryStorage(many)).summaries();
      const storage = new MemoryStorage({ ...many, 'index/threads.json': text });
      expect(await indexOf(storage).summaries()).toEqual(whole);
    },
  );

  it('drops removed files, and reads a file again that was replaced by a shorter one', async () => {
    const storage = new MemoryStorage({ [PATH]: ROLLOUT + asked });
    const index = indexOf(storage);
    await index.summaries();
    storage.files.set(PATH, ROLLOUT);
    expect((await index.summaries())[0]?.lastTurn).toBe('completed');
    storage.files.delete(PATH);
    expect(await index.summaries()).toEqual([]);
  });
});
