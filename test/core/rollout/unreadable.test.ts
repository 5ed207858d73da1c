/** A rollout that is damaged or cannot be read does not affect other threads, and is reported. */
import { expect, it } from 'vitest';
import { forkThread } from '../../../src/core/rollout/copies.ts';
import { replayFile, shownState } from '../../../src/core/rollout/replay.ts';
import { searchThreads } from '../../../src/core/rollout/search.ts';
import { ThreadIndex } from '../../../src/core/rollout/threadIndex.ts';
import { ThreadReader } from '../../../src/core/rollout/threadReader.ts';
import { MemoryStorage } from '../../support/memoryStorage.ts';
import { ROLLOUT, THREAD_ID } from './sampleRollout.ts';

const OTHER_ID = '019a0000-0000-7000-8000-000000000002';
const at = (id: string) => `threads/2026/11/21/rollout-2026-11-21T00-00-00-${id}.jsonl`;
const PATH = at(THREAD_ID);
const OTHER = at(OTHER_ID);
const log = { debug() {}, info() {}, warn() {}, error() {} };
const ports = (storage: MemoryStorage) => ({
  storage,
  clock: { now: () => new Date(0), monotonic: () => 0, sleep: async () => {}, after: () => () => {} },
  ids: { uuid: () => 'new', next: () => 'next', random: () => 0 },
});
const by = { originator: 'cli', tiller_version: '0' } as const;

function locked(): MemoryStorage {
  const storage = new MemoryStorage({ [PATH]: ROLLOUT, [OTHER]: ROLLOUT.replaceAll(THREAD_ID, OTHER_ID) });
  storage.onRead = (path) => {
    if (path === PATH) throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  };
  return storage;
}

it('a rollout without read permission: the others are listed and searched, and it is listed again once it is readable', async () => {
  const storage = locked();
  const index = new ThreadIndex({ storage, log });
  const ids = async () => (await index.summaries()).map(({ id }) => id);
  expect(await ids()).toEqual([OTHER_ID]);
  storage.onRead = undefined;
  expect(await ids()).toEqual([THREAD_ID, OTHER_ID]);

  const hits: string[] = [];
  const search = searchThreads(locked(), await index.summaries(), 'Done', new AbortController().signal);
  for await (const { threadId } of search) hits.push(threadId);
  expect(hits).toEqual([OTHER_ID]);
});

it('a rollout without read permission: open, show and fork report the reason', async () => {
  const message = 'The file cannot be accessed: permission denied.';
  expect(await replayFile(locked(), PATH)).toEqual({ type: 'unreadable', message });
  expect(await ThreadReader.open(locked(), PATH)).toEqual({ type: 'unreadable', message });
  expect(await forkThread(ports(locked()), PATH, null, by)).toEqual({
    type: 'refused',
    message: `${PATH} cannot be accessed: permission denied.`,
  });
});

const LINES = ROLLOUT.split('\n');

it.each([
  ['torn', LINES[0]?.slice(0, 50), 1],
  ['zeros', '\0'.repeat(200), 1],
  // A copy has a first line of its own again: it lacks nothing.
  ['gone', '', 0],
])('a rollout whose first line is %s is still listed, opened and forked', async (_how, first, droppedInCopy) => {
  const storage = new MemoryStorage({ [PATH]: [first, ...LINES.slice(1)].join('\n') });
  const read = await replayFile(storage, PATH);
  if (read.type !== 'thread') throw new Error(read.message);
  expect(read.thread).toMatchObject({
    meta: { id: THREAD_ID, cwd: '/work', model: 'm' },
    readOnly: false,
    dropped: 1,
  });
  expect(shownState(read.thread).warnings).toEqual([
    { message: 'One line of this thread could not be read and was left out.' },
  ]);
  expect(read.thread.history).toHaveLength(5);
  expect(await new ThreadIndex({ storage, log }).summaries()).toMatchObject([
    { id: THREAD_ID, cwd: '/work', title: 'go', turns: 1, lastTurn: 'completed' },
  ]);
  const copied = await forkThread(ports(storage), PATH, null, by);
  expect(copied).toMatchObject({ type: 'copied', dropped: droppedInCopy });
});

it('a damaged first line that names a newer format makes the thread read-only', async () => {
  const first = '{"timestamp":"","type":"session_meta","payload":{"format":"tiller-rollout","version":2,"id"';
  const read = await replayFile(new MemoryStorage({ [PATH]: [first, ...LINES.slice(1)].join('\n') }), PATH);
  expect(read).toMatchObject({ type: 'thread', thread: { readOnly: true } });
});

it('a line that describes the thread counts wherever it is', async () => {
  const moved = [...LINES.slice(1, -1), LINES[0], ''].join('\n');
  const summaries = await new ThreadIndex({ storage: new MemoryStorage({ [PATH]: moved }), log }).summaries();
  expect(summaries).toMatchObject([{ id: THREAD_ID, provider: 'p', title: 'go', turns: 1 }]);
});

it('a file without a line of a thread is not a thread', async () => {
  const storage = new MemoryStorage({ [PATH]: '\n{}\nnot json\n' });
  expect(await replayFile(storage, PATH)).toMatchObject({ type: 'unreadable' });
  expect(await new ThreadIndex({ storage, log }).summaries()).toEqual([]);
});
