import { expect, test } from 'vitest';
import type { Event, EventMsg } from '../../src/protocol/event.ts';
import { initialThreadState, runningInBackground, type ThreadState } from '../../src/protocol/thread.ts';
import { threadReducer } from '../../src/protocol/threadReducer.ts';

function told(...messages: readonly EventMsg[]): ThreadState {
  const fold = (state: ThreadState, msg: EventMsg, index: number) => {
    const event: Event = { v: 1, seq: index + 1, at: '', threadId: 't', turnId: null, submissionId: null, msg };
    return threadReducer(state, event);
  };
  return messages.reduce(fold, initialThreadState('t'));
}

const started = (processId: string): EventMsg => ({
  type: 'process_started',
  processId,
  itemId: `item-${processId}`,
  command: 'npm run dev',
  cwd: '/w',
  box: 'none',
});

test('a process is running until it has ended', () => {
  const running = told(started('1'), started('2'));
  expect(runningInBackground(running).map(({ processId }) => processId)).toEqual(['1', '2']);
  const ended = told(started('1'), started('2'), { type: 'process_exited', processId: '1', exitCode: 0 });
  expect(runningInBackground(ended).map(({ processId }) => processId)).toEqual(['2']);
});

test('all running processes and the newest of the ended ones are kept', () => {
  const ids = Array.from({ length: 300 }, (_, index) => String(index));
  const messages = ids.flatMap((processId): EventMsg[] =>
    Number(processId) < 3
      ? [started(processId)]
      : [started(processId), { type: 'process_exited', processId, exitCode: 0 }],
  );
  const { processes } = told(...messages);
  expect(processes).toHaveLength(100);
  expect(processes.slice(0, 3).map(({ processId }) => processId)).toEqual(['0', '1', '2']);
  expect(processes.at(-1)?.processId).toBe('299');
});
