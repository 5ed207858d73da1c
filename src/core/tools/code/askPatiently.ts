/**
 * Asks language extensions again while their answers are empty: they start with the first file and then read the
 * project.
 */
import type { Clock, CodeKind, CodePosition, Languages } from '../../ports.ts';
import { abortable } from '../../util/abort.ts';

/** Milliseconds. */
export const CODE_TIMES = {
  /** One call with all its requests. */
  most: 10_000,
  firstPause: 250,
  longestPause: 2_000,
} as const;

/** The reason why a call has no answer, as sentences for the model. */
export class NoAnswer extends Error {}

/** The reason with which the time limit of a call aborts. */
export class TimeOver extends Error {}

export interface Limit {
  readonly clock: Pick<Clock, 'after'>;
  /** Aborts with a `TimeOver`, or with the reason of the turn. */
  readonly signal: AbortSignal;
}

/** The subject of requests: a language, or symbols of the workspace where there is no path. */
export interface Subject {
  readonly kind: CodeKind;
  readonly path: string | undefined;
  readonly languages: Languages;
}

/**
 * Asks again while the answer is empty and no provider has answered about the language so far. Rejects with `NoAnswer`
 * when the time is over, else with the reason of the signal or the error of `ask`.
 */
export async function askPatiently<Value>(
  ask: () => Promise<Value>,
  isEmpty: (value: Value) => boolean,
  { kind, path, languages }: Subject,
  { clock, signal }: Limit,
): Promise<Value> {
  const patience = languages.patienceFor(path);
  let waited = 0;
  let isEmptySoFar = false;
  try {
    for (let pause: number = CODE_TIMES.firstPause; ; pause = Math.min(2 * pause, CODE_TIMES.longestPause)) {
      const value = await abortable(ask(), signal);
      if (!isEmpty(value) || languages.hasAnswered(kind, path)) return value;
      isEmptySoFar = true;
      if (languages.isSilent(kind, path)) throw new NoAnswer(SILENT);
      if (waited >= patience) {
        languages.noteSilence(kind, path);
        throw new NoAnswer(SILENT);
      }
      await paused(pause, { clock, signal });
      waited += pause;
    }
  } catch (error) {
    if (!(error instanceof TimeOver)) throw error;
    if (isEmptySoFar) languages.noteSilence(kind, path);
    throw new NoAnswer(isEmptySoFar ? NOT_READY : SLOW);
  }
}

const SECONDS = CODE_TIMES.most / 1_000;
const INSTEAD = 'Ask again later, or search the text of the files instead.';
const NOT_READY = `Index not ready: within ${SECONDS} s no language extension of the editor has answered about this. It may still be reading the project, or there is none for this language. ${INSTEAD}`;
const SLOW = `Index not ready: a language extension of the editor has not answered within ${SECONDS} s. It may still be reading the project. ${INSTEAD}`;
const SILENT =
  'Index not ready: no language extension of the editor answers about this. There seems to be none for this language. Search the text of the files instead.';

/**
 * Asks about a symbol, once the extensions have read its project: until then an answer may be a part. Rejects as
 * `askPatiently` does.
 */
export async function askAbout<Value>(
  at: CodePosition,
  ask: () => Promise<Value>,
  isEmpty: (value: Value) => boolean,
  languages: Languages,
  limit: Limit,
): Promise<Value> {
  const settled = async () => {
    await languages.settle(at);
    return ask();
  };
  const subject = { kind: 'code' as const, path: at.path, languages };
  const wasKnown = languages.hasAnswered('code', at.path);
  const value = await askPatiently(settled, isEmpty, subject, limit);
  // The extension may have started between the two requests.
  return wasKnown || isEmpty(value) ? value : askPatiently(settled, isEmpty, subject, limit);
}

function paused(milliseconds: number, { clock, signal }: Limit): Promise<void> {
  let cancel = () => {};
  const over = new Promise<void>((resolve) => (cancel = clock.after(milliseconds, resolve)));
  return abortable(over, signal).finally(() => cancel());
}
