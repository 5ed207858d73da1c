import { expect, it } from 'vitest';
import { type CatalogPorts, ThreadCatalog } from '../../../src/core/rollout/catalog.ts';
import { MemoryStorage } from '../../support/memoryStorage.ts';
import { ROLLOUT, THREAD_ID } from './sampleRollout.ts';

const NAME = `rollout-2026-11-21T00-00-00-${THREAD_ID}.jsonl`;
const PATH = `threads/2026/11/21/${NAME}`;

function catalogOf(storage: MemoryStorage): ThreadCatalog {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const unused = new Proxy({}, { get: (_target, name) => expect.unreachable(`uses ${String(name)}`) });
  const ports = { storage, log, locks: unused, clock: unused, workspace: unused };
  return new ThreadCatalog(ports as unknown as CatalogPorts, async () => {});
}

it('a thread is gone only where it is neither listed nor in the trash, also while no file can be read', async () => {
  const storage = new MemoryStorage({
    [PATH]: ROLLOUT,
    'bin/2026-11-21T00-00-00/rollout-2026-11-21T00-00-00-t2.jsonl': '',
  });
  storage.onRead = () => {
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  };
  const places = () => Promise.all([THREAD_ID, 't2', 't3'].map((id) => catalogOf(storage).whereIs(id)));
  expect(await places()).toEqual(['listed', 'deleted', 'gone']);
  await storage.move(PATH, `threads/2026/11/21/renamed.jsonl`);
  storage.onRead = undefined;
  expect(await places()).toEqual(['listed', 'deleted', 'gone']);
  expect(await catalogOf(storage).isComplete()).toBe(true);
  storage.dark = ['threads/2025'];
  expect(await catalogOf(storage).isComplete()).toBe(false);
});

it('a pin is kept for every process, until it is removed', async () => {
  const storage = new MemoryStorage({ 'index/pinned.json': 'damaged' });
  const pins = async () => {
    const catalog = catalogOf(storage);
    return Promise.all(['a', 'b'].map((id) => catalog.isPinned(id)));
  };
  expect(await pins()).toEqual([false, false]);
  await catalogOf(storage).pin('a', true);
  await catalogOf(storage).pin('b', true);
  await catalogOf(storage).pin('a', true);
  expect(await pins()).toEqual([true, true]);
  await catalogOf(storage).pin('a', false);
  expect(await pins()).toEqual([false, true]);
});
