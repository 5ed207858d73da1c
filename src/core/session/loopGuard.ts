import type { ToolCall, ToolOutput } from '../tools/handler.ts';
import { fingerprintOf } from '../tools/router.ts';

const REPEATS = 3;

const NOTE =
  'Note: this was the same call with the same result three times in a row. Do something else, or say what blocks you.';

/** Detects repeated calls with the same output in one turn (design decision 19). */
export class LoopGuard {
  #last: string | undefined;
  #count = 0;

  /** A note for the model at every third identical call in a row. The first of them also warns the user. */
  note(call: ToolCall, answer: ToolOutput): { readonly forModel: string; readonly isFirst: boolean } | undefined {
    // Polling a slow process is no loop.
    if (isStillRunning(answer.output)) return undefined;
    const fingerprint = JSON.stringify([fingerprintOf(call), withoutTimes(answer.output)]);
    this.#count = fingerprint === this.#last ? this.#count + 1 : 1;
    this.#last = fingerprint;
    if (this.#count % REPEATS !== 0) return undefined;
    return { forModel: NOTE, isFirst: this.#count === REPEATS };
  }
}

function isStillRunning(output: ToolOutput['output']): boolean {
  return typeof output === 'string' && /^Process running with session ID \d+$/m.test(output);
}

/** Removes the lines that differ between outputs of the same result. */
function withoutTimes(output: ToolOutput['output']): unknown {
  return typeof output === 'string' ? output.replaceAll(/^(?:Chunk ID|Wall time): .*$/gm, '') : output;
}
