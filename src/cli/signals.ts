import { EXIT } from './usage.ts';

/** Milliseconds for an interrupted command to end by itself (docs/cli.md). */
const GRACE_MS = 2000;

const SIGNALS: readonly (readonly [NodeJS.Signals, number])[] = [
  ['SIGINT', EXIT.interrupted],
  ['SIGTERM', EXIT.terminated],
];

/** Makes a signal end the process with its exit code (docs/cli.md), as long as no command handles the signal. */
export function endOnSignals(): void {
  for (const [signal, code] of SIGNALS) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(code);
    });
  }
}

let hasTerminated = false;

/** Returns true once a signal has stopped a command that called `onTermination`. */
export const wasTerminated = () => hasTerminated;

export interface Termination {
  /** The exit code: 130 after SIGINT, 143 after SIGTERM, `undefined` before a signal. */
  readonly exitCode: number | undefined;
  /** Settles as `work` does, or as soon as a signal arrives. */
  orStopped(work: Promise<void>): Promise<void>;
  /** Settles as `work` does, or when the grace period after a signal is over. */
  orTooLate(work: Promise<void>): Promise<void>;
  dispose(): void;
}

/** Calls `stop` at the first SIGINT or SIGTERM. A second one ends the process at once. */
export function onTermination(stop: () => void): Termination {
  let exitCode: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let tellStopped = () => {};
  let tellTooLate = () => {};
  const stopped = new Promise<void>((resolve) => {
    tellStopped = resolve;
  });
  const tooLate = new Promise<void>((resolve) => {
    tellTooLate = resolve;
  });
  const listenTo = (signal: NodeJS.Signals, code: number) => {
    const listener = () => {
      if (exitCode !== undefined) process.exit(code);
      exitCode = code;
      hasTerminated = true;
      stop();
      tellStopped();
      timer = setTimeout(() => tellTooLate(), GRACE_MS);
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  };
  const unlisten = SIGNALS.map(([signal, code]) => listenTo(signal, code));
  return {
    get exitCode() {
      return exitCode;
    },
    orStopped: (work) => Promise.race([work, stopped]),
    orTooLate: (work) => Promise.race([work, tooLate]),
    dispose() {
      clearTimeout(timer);
      for (const off of unlisten) off();
    },
  };
}
