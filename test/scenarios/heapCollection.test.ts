/** The heap of the command line, which is collected while the process waits for the model. */
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { HeapCollection, isCollectionDue } from '../../src/cli/heapCollection.ts';
import { calls, ModelServer, says } from '../support/modelServer.ts';
import { builtCli, runCli } from '../support/runCli.ts';
import { tempFolder } from '../support/tempFolder.ts';

const MIB = 2 ** 20;

describe('a collection is due', () => {
  it('when the heap has grown by 16 MiB, and not before', () => {
    expect(isCollectionDue(36 * MIB, 20 * MIB)).toBe(true);
    expect(isCollectionDue(36 * MIB - 1, 20 * MIB)).toBe(false);
    expect(isCollectionDue(10 * MIB, 20 * MIB)).toBe(false);
  });

  it('in a large heap when it has grown by half', () => {
    expect(isCollectionDue(299 * MIB, 200 * MIB)).toBe(false);
    expect(isCollectionDue(300 * MIB, 200 * MIB)).toBe(true);
  });
});

it('measures growth from the last collection, and gives up with one line in the log', async () => {
  const sizes = [20, 40, 24, 39, 60, 60, 90].map((size) => size * MIB);
  const collected: number[] = [];
  const log: string[] = [];
  const heap = new HeapCollection({
    log: (reason) => log.push(reason),
    used: () => sizes.shift() ?? 0,
    collect: async () => {
      collected.push(sizes.length);
      if (collected.length > 1) throw new Error('there is no inspector');
    },
  });
  for (let request = 0; request < 6; request++) await heap.collectIfDue();
  expect({ collected, log }).toEqual({ collected: [5, 2], log: ['there is no inspector'] });
});

/** Loaded before the command line: at the end it prints on stderr how the collections on request have gone. */
const HOOK = `
  const { Session } = require('node:inspector');
  const { getHeapStatistics } = require('node:v8');
  const { post } = Session.prototype;
  const used = () => getHeapStatistics().used_heap_size;
  const seen = new Set();
  Session.prototype.post = function (method, done) {
    const before = used();
    post.call(this, method, (error) => {
      seen.add(error ? String(error) : before - used() > 2 ** 20 ? method + ' frees memory' : method + ' frees nothing');
      done(error);
    });
  };
  process.on('exit', () => require('node:fs').writeSync(2, [...seen].join(', ')));
`;

/** A turn of ten calls, whose requests each have a prompt of this size. */
async function runJob(promptBytes: number, nodeOptions = '') {
  using folder = tempFolder();
  const plans = Array.from({ length: 10 }, (_, at) => [
    calls('update_plan', { plan: [{ step: `step ${at}`, status: 'pending' }] }),
  ]);
  await using server = await ModelServer.start([...plans, [says('done')]]);
  const hook = folder.at('hook.cjs');
  writeFileSync(hook, HOOK);
  const words = ['exec', '--json', '--model', 'm', '--base-url', server.baseUrl, '--cd', folder.path, '-'];
  const env = { NODE_OPTIONS: `--require=${hook} ${nodeOptions}` };
  const { code, stderr } = await runCli(words, { home: folder.path, stdin: 'words '.repeat(promptBytes / 6), env });
  return { code, stderr, requests: server.requests.length };
}

it('a job whose requests have filled the heap collects it, and ends without a warning', async () => {
  const run = await runJob(2 * MIB);
  expect(run).toEqual({ code: 0, stderr: 'HeapProfiler.collectGarbage frees memory', requests: 11 });
});

it('a job of small requests collects nothing', async () => {
  expect(await runJob(12)).toEqual({ code: 0, stderr: '', requests: 11 });
});

it('the code cache that it makes holds as much as that of a small job', async () => {
  const folder = path.dirname(await builtCli());
  const caches = () => readdirSync(folder).filter((name) => name.endsWith('.cache'));
  const sizesAfter = async (promptBytes: number) => {
    for (const name of caches()) rmSync(path.join(folder, name));
    await runJob(promptBytes);
    return caches().map((name) => statSync(path.join(folder, name)).size);
  };
  const small = await sizesAfter(12);
  const large = await sizesAfter(2 * MIB);
  expect(small).toHaveLength(2);
  for (const [at, size] of small.entries()) expect(large[at]).toBeGreaterThan(0.9 * size);
});

it('nothing is collected while a debugger may be attached', async () => {
  const run = await runJob(2 * MIB, '--inspect=127.0.0.1:0');
  expect(run).toEqual({ code: 0, stderr: expect.not.stringContaining('collectGarbage'), requests: 11 });
});
