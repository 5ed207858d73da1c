import { type OneCall, oneCallModel } from '../model/oneCallModel.ts';
import type { ModelClientFactory } from '../model/modelClientFactory.ts';
import type { Ids } from '../ports.ts';
import type { Session } from '../session/session.ts';
import { onAbort } from '../util/abort.ts';

export interface OneCallThreadDeps {
  readonly ids: Pick<Ids, 'next'>;
  /** Makes a thread of this process with these models. */
  readonly start: (models: ModelClientFactory) => Promise<Session>;
  /** Starts it and lists it with the others (`LiveThreads.begin`). */
  readonly begin: (session: Session) => void;
}

/**
 * Runs one call of a tool in a thread of its own, which stays in the list of threads. Resolves with the output as a model would
 * read it, also of a call that failed or was denied. Rejects when the turn did not end, with a sentence, or with the signal's
 * reason.
 */
export async function runOneCall(
  call: OneCall,
  message: string,
  { ids, start, begin }: OneCallThreadDeps,
  signal: AbortSignal,
): Promise<string> {
  let output: string | undefined;
  const session = await start(oneCallModel(call, ids, (text) => (output = text)));
  const submit = (op: Parameters<Session['submit']>[0]['op']) => session.submit({ id: ids.next('submission'), op });
  let problem = 'The call did not end.';
  const ended = new Promise<void>((resolve) => {
    session.onEvent(({ msg }) => {
      if (msg.type === 'error') problem = msg.message;
      if (msg.type === 'turn_completed' || msg.type === 'turn_aborted') resolve();
    });
  });
  let forget = () => {};
  try {
    signal.throwIfAborted();
    // First: a thread that is not shown and has no work is closed as soon as it begins.
    submit({ type: 'user_turn', input: [{ type: 'text', text: message }] });
    begin(session);
    // Behind the message: an interrupt without a turn does nothing.
    forget = onAbort(signal, () => submit({ type: 'interrupt' }));
    await Promise.race([ended, session.closed]);
    signal.throwIfAborted();
    if (output === undefined) throw new Error(problem);
    return output;
  } finally {
    forget();
    await session.dispose();
  }
}
