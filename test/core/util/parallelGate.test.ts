import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ParallelGate } from '../../../src/core/util/parallelGate.ts';

interface Task {
  readonly parallel: boolean;
  /** The turns of the event loop that it takes. */
  readonly turns: number;
  readonly fails: boolean;
}

const task = fc.record({ parallel: fc.boolean(), turns: fc.nat(4), fails: fc.boolean() });

async function runAll(
  tasks: readonly Task[],
  most = 3,
): Promise<{ log: string[]; settled: PromiseSettledResult<number>[] }> {
  const gate = new ParallelGate(most);
  const log: string[] = [];
  const settled = await Promise.allSettled(
    tasks.map(({ parallel, turns, fails }, index) =>
      gate.run(
        async () => parallel,
        async () => {
          log.push(`+${index}`);
          for (let turn = 0; turn < turns; turn++) await Promise.resolve();
          log.push(`-${index}`);
          if (fails) throw new Error(`task ${index}`);
          return index;
        },
      ),
    ),
  );
  return { log, settled };
}

describe('a parallel gate', () => {
  it('says whether nothing can have changed since a task arrived', async () => {
    const gate = new ParallelGate(2);
    const said: boolean[] = [];
    const arrive = (shares: boolean) =>
      gate.run(
        async (isAsAtArrival) => {
          said.push(isAsAtArrival);
          return shares;
        },
        () => ended,
      );
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    // Two together; the third waits for a place; the fourth runs alone, and the fifth comes after it.
    const all = [true, true, true, false, true].map(arrive);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    expect(said).toEqual([true, true]);
    end();
    await Promise.all(all);
    await arrive(true);
    expect(said).toEqual([true, true, false, expect.any(Boolean), false, true]);
  });

  it('runs every call once, in order of arrival, and an exclusive one alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(task, { maxLength: 8 }), async (tasks) => {
        const { log, settled } = await runAll(tasks);
        expect(settled.map(({ status }) => status)).toEqual(
          tasks.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')),
        );
        const running = new Set<number>();
        const started: number[] = [];
        for (const entry of log) {
          const index = Number(entry.slice(1));
          if (entry.startsWith('-')) running.delete(index);
          else {
            started.push(index);
            const alone = [...running, index].some((one) => !tasks[one]?.parallel);
            expect(alone && running.size > 0).toBe(false);
            running.add(index);
            expect(running.size).toBeLessThanOrEqual(3);
          }
        }
        expect(started).toEqual(tasks.map((_, index) => index));
      }),
    );
  });

  it('runs safe calls in parallel', async () => {
    const { log } = await runAll(Array.from({ length: 3 }, () => ({ parallel: true, turns: 40, fails: false })));
    expect(log.slice(0, 3)).toEqual(['+0', '+1', '+2']);
  });
});
