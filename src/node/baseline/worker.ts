/** A program of its own, built to `baselineWorker.js` and run in a worker thread: BaselineEngine behind messages. */
import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { errorCode, messageOf } from '../../core/util/fileErrors.ts';
import type { Answer, Call, WorkerOptions } from './calls.ts';
import { BaselineEngine } from './engine.ts';
import { pauseEvery } from './pauseEvery.ts';

/** Milliseconds after which a question that is quick to answer gets its turn. */
const TURN_MS = 20;

const { home, userHome } = workerData as WorkerOptions;
const engine = new BaselineEngine({ home, userHome, pause: pauseEvery(TURN_MS, () => setImmediate()) });

parentPort?.on('message', ({ id, method, args }: Call) => {
  const call = engine[method].bind(engine) as (...given: readonly unknown[]) => Promise<unknown>;
  void call(...args).then(
    (result) => answer({ id, type: 'result', result }),
    (error: unknown) => answer({ id, type: 'error', message: messageOf(error), code: errorCode(error) }),
  );
});

function answer(message: Answer): void {
  parentPort?.postMessage(message);
}
