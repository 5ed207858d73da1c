/** A thread of 2,000 turns is opened, searched, forked and continued without blocking the process. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ThreadSearchHit } from '../../src/protocol/threads.ts';
import { calls, says } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const TURNS = 2000;

let first: Scenario;
let rollout: string;

/** One recorded turn, repeated under other ids. */
beforeAll(async () => {
  first = await startScenario({
    sandbox: 'danger-full-access',
    model: [[calls('exec_command', { cmd: 'seq 100' }, { callId: 'call_0_' })], [says('Answer 0.')]],
  });
  await first.send('Question 0?');
  await first.session.dispose();
  rollout = first.home.at((await first.service.catalog.find(first.session.threadId))?.path ?? '');
  const lines = readFileSync(rollout, 'utf8').trimEnd().split('\n');
  const start = lines.findIndex((line) => line.includes('"turn_context"'));
  const end = lines.findIndex((line) => line.includes('"turn_completed"')) + 1;
  const [turn] = first.state.turns;
  const ids = [turn?.id ?? '', ...(turn?.items ?? []).map(({ id }) => id)];
  const again = (number: number) => (line: string) =>
    ids
      .reduce((text, id) => text.replaceAll(`"${id}"`, `"${id}-${number}"`), line)
      .replaceAll('call_0_', `call_${number}_`)
      .replaceAll('Question 0?', `Question ${number}?`)
      .replaceAll('Answer 0.', `Answer ${number}.`);
  const turns = Array.from({ length: TURNS }, (_, number) => lines.slice(start, end).map(again(number)));
  writeFileSync(rollout, `${[...lines.slice(0, start), ...turns.flat()].join('\n')}\n`);
});

afterAll(() => first[Symbol.asyncDispose]());

/** The longest time in which the event loop was blocked, as a part of the whole; both in processor time. */
async function heldUp<Result>(work: () => Promise<Result>): Promise<readonly [Result, number]> {
  let longest = 0;
  let isOver = false;
  const start = processorMilliseconds();
  let last = start;
  const breathe = () => {
    const now = processorMilliseconds();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(breathe);
  };
  setImmediate(breathe);
  const result = await work();
  breathe();
  isOver = true;
  return [result, longest / (processorMilliseconds() - start)];
}

function processorMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function found(query: string): Promise<readonly ThreadSearchHit[]> {
  const hits: ThreadSearchHit[] = [];
  for await (const hit of first.service.catalog.search(query, new AbortController().signal)) hits.push(hit);
  return hits;
}

describe('a thread of 2,000 turns', () => {
  it('is resumed and continued', async () => {
    const [opened, part] = await heldUp(() => first.service.resume('last', ...first.thread));
    if (opened.type !== 'resumed') throw new Error(opened.type);
    expect(opened.session.initialState.turns).toHaveLength(TURNS);
    expect(part).toBeLessThan(0.5);
    await opened.session.dispose();

    await using second = await startScenario({ resume: first, model: [[says('Last.')]] });
    await second.send('And now?');
    expect(second.outputs()).toHaveLength(TURNS);
    expect(second.server.lastRequest.input.at(-1)).toMatchObject({ role: 'user' });
  });

  it('is read without a resume', async () => {
    const [opened, part] = await heldUp(() => first.service.catalog.read(first.session.threadId));
    expect(opened.type === 'reader' && opened.reader.thread.state.turns.length).toBeGreaterThanOrEqual(TURNS);
    expect(part).toBeLessThan(0.5);
  });

  it('is searched', async () => {
    expect(await found('question 1777?')).toMatchObject([{ match: 'Question 1777?' }]);
  });

  it('is forked at its middle', async () => {
    const [hit] = await found('Question 1000?');
    const fork = () => first.service.fork({ id: first.session.threadId }, hit?.itemId ?? '', ...first.thread);
    const [forked, part] = await heldUp(fork);
    if (forked.type !== 'resumed') throw new Error(forked.type);
    expect(forked.session.initialState.turns).toHaveLength(1000);
    expect(forked.draft).toEqual([{ type: 'text', text: 'Question 1000?' }]);
    expect(part).toBeLessThan(0.5);
    await forked.session.dispose();
  });
});
