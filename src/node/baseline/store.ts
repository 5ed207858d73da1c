/** The BaselineStore port: the engine in a worker thread, or, without the worker's script, in pieces on the event loop. */
import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { BaselineStore } from '../../core/ports.ts';
import type { Answer, Call, Method, WorkerOptions } from './calls.ts';
import { BaselineEngine } from './engine.ts';
import { pauseEvery } from './pauseEvery.ts';

/** Milliseconds of work on the event loop at a time. */
const PIECE_MS = 4;
/** Milliseconds without work after which the worker ends, to free its memory. */
const IDLE_MS = 120_000;

/** A look makes much garbage: of 20,000 files the worker takes 50 MiB with this, and 85 without. */
const LITTLE_GARBAGE = { maxYoungGenerationSizeMb: 4 };

export interface BaselineStoreOptions extends WorkerOptions {
  /** The built script worker.ts. */
  readonly worker?: string | undefined;
}

/** Starts the worker at the first use. */
export function createBaselineStore({ worker, ...options }: BaselineStoreOptions): BaselineStore {
  if (worker === undefined || !existsSync(worker)) return engineInPieces(options);
  const calls = new WorkerCalls(worker, options);
  return {
    look: (...args) => calls.call('look', args),
    changedSince: (...args) => calls.call('changedSince', args),
    capture: (...args) => calls.call('capture', args),
    missingFolders: (...args) => calls.call('missingFolders', args),
    keep: (...args) => calls.call('keep', args),
    read: (...args) => calls.call('read', args),
    dispose: () => calls.dispose(),
  };
}

function engineInPieces(options: WorkerOptions): BaselineStore {
  const engine = new BaselineEngine({ ...options, pause: pauseEvery(PIECE_MS, () => setImmediate()) });
  return {
    look: (...args) => engine.look(...args),
    changedSince: (...args) => engine.changedSince(...args),
    capture: (...args) => engine.capture(...args),
    missingFolders: (...args) => engine.missingFolders(...args),
    keep: (...args) => engine.keep(...args),
    read: (...args) => engine.read(...args),
    dispose: async () => {},
  };
}

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/** A worker with the calls that it has not answered. */
interface RunningWorker {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
}

/**
 * Sends calls to a worker thread. The first call starts the worker, and the next call after it has ended starts
 * another.
 */
class WorkerCalls {
  readonly #script: string;
  readonly #options: WorkerOptions;
  #running: RunningWorker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #calls = 0;

  constructor(script: string, options: WorkerOptions) {
    this.#script = script;
    this.#options = options;
  }

  call<Result>(method: Method, args: readonly unknown[]): Promise<Result> {
    clearTimeout(this.#idle);
    const call: Call = { id: ++this.#calls, method, args };
    return new Promise<Result>((resolve, reject) => {
      this.#running ??= this.#start();
      const { worker, waiting } = this.#running;
      waiting.set(call.id, { resolve, reject });
      worker.ref();
      worker.postMessage(call);
    });
  }

  /** Ends the worker; calls that it has not answered reject. A call from now on starts another one. */
  async dispose(): Promise<void> {
    clearTimeout(this.#idle);
    const running = this.#running;
    this.#running = undefined;
    await running?.worker.terminate();
  }

  #start(): RunningWorker {
    const worker = new Worker(this.#script, { workerData: this.#options, resourceLimits: LITTLE_GARBAGE });
    const running: RunningWorker = { worker, waiting: new Map() };
    let failure: unknown;
    worker.on('message', (answer: Answer) => this.#settle(answer, running));
    worker.on('error', (error) => {
      failure = error;
    });
    worker.on('exit', () => {
      if (this.#running === running) this.#running = undefined;
      const error = failure instanceof Error ? failure : new Error('The recording of changes was ended.');
      for (const { reject } of running.waiting.values()) reject(error);
      running.waiting.clear();
    });
    return running;
  }

  #settle(answer: Answer, { worker, waiting }: RunningWorker): void {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.type === 'result') asked?.resolve(answer.result as never);
    else asked?.reject(Object.assign(new Error(answer.message), { code: answer.code }));
    if (waiting.size > 0) return;
    // It keeps no process alive that has no other work.
    worker.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.dispose(), IDLE_MS).unref();
  }
}
