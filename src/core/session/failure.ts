import type { EventMsgOf } from '../../protocol/event.ts';
import { ModelFault } from '../model/client.ts';
import { messageOf } from '../util/fileErrors.ts';

/** A record that must precede an act could not be written: the rollout, unless `sentence` names another file. */
export class StorageFailure extends Error {
  readonly sentence: string;
  constructor(cause: unknown, sentence = 'The thread could not be written to disk.') {
    super(messageOf(cause), { cause });
    this.name = 'StorageFailure';
    this.sentence = sentence;
  }
}

/** The limit of rounds or a cap was reached: the user decides whether the turn goes on (design decision 19). */
export class TurnPaused extends Error {
  readonly action: 'retry' | 'compact';
  /** `sentence` has the reason, and the way to continue. */
  constructor(sentence: string, action: TurnPaused['action'] = 'retry') {
    super(sentence);
    this.action = action;
    this.name = 'TurnPaused';
  }
}

/** A hook keeps the message of the user from the model. */
export class BlockedByHook extends Error {
  constructor(reason: string) {
    super(`A hook blocked this message, and the model did not get it: ${reason}`);
    this.name = 'BlockedByHook';
  }
}

/** Settings that a client has sent cannot be used; the message says what stays. */
export class RefusedSettings extends Error {
  override readonly name = 'RefusedSettings';
}

/** The error as the user reads it, in the kinds of design decision 18. */
export function describeFailure(error: unknown): Omit<EventMsgOf<'error'>, 'type'> {
  if (error instanceof ModelFault) {
    const { kind, message, detail, action } = error;
    return { kind, message, ...(detail ? { detail } : {}), ...(action ? { action } : {}) };
  }
  const message = messageOf(error);
  if (error instanceof TurnPaused) return { kind: 'paused', message, action: error.action };
  if (error instanceof BlockedByHook) return { kind: 'config', message };
  if (error instanceof RefusedSettings) {
    const detail = error.cause === undefined ? undefined : messageOf(error.cause);
    return { kind: 'config', message, ...(detail === undefined ? {} : { detail }) };
  }
  if (error instanceof StorageFailure) {
    return { kind: 'storage', message: error.sentence, detail: message, action: 'retry' };
  }
  return { kind: 'internal', message: 'Tiller met an unexpected error.', detail: message, action: 'show_log' };
}
