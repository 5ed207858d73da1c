import type { EventMsgOf } from '../../protocol/event.ts';
import { ModelFault } from '../model/client.ts';

/** The rollout could not be written. */
export class StorageFailure extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'StorageFailure';
  }
}

/** The bound on rounds was reached: nobody's fault, but the person must say whether to go on (design decision 19). */
export class TurnPaused extends Error {
  constructor(rounds: number) {
    super(`The turn was paused after ${rounds} rounds of tool calls; retry to go on.`);
    this.name = 'TurnPaused';
  }
}

/** What the person is told, in the kinds of design decision 18. */
export function describeFailure(error: unknown): Omit<EventMsgOf<'error'>, 'type'> {
  if (error instanceof ModelFault) {
    const { kind, message, detail, action } = error;
    return { kind, message, ...(detail ? { detail } : {}), ...(action ? { action } : {}) };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof TurnPaused) return { kind: 'config', message, action: 'retry' };
  if (error instanceof StorageFailure) {
    return { kind: 'storage', message: 'The thread could not be written to disk.', detail: message, action: 'retry' };
  }
  return { kind: 'internal', message: 'Tiller met an error of its own.', detail: message, action: 'show_log' };
}
