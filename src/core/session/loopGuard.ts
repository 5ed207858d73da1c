import type { ToolCall, ToolOutput } from '../tools/handler.ts';
import { fingerprintOf } from '../tools/router.ts';

const REPEATS = 3;

const NOTE =
  'Note: this was the same call with the same result three times in a row. Do something else, or say what blocks you.';

/** Notices when the same call gives the same answer again and again (design decision 19). Of one turn. */
export class LoopGuard {
  #last: string | undefined;
  #count = 0;

  /** What to tell the model, at every third identical call in a row; the person hears of it at the first of them. */
  note(call: ToolCall, answer: ToolOutput): { readonly forModel: string; readonly isFirst: boolean } | undefined {
    // Whoever waits for something slow looks more than once.
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

/** How long a command took, and the name of the answer, are no part of what it said. */
function withoutTimes(output: ToolOutput['output']): unknown {
  return typeof output === 'string' ? output.replaceAll(/^(?:Chunk ID|Wall time): .*$/gm, '') : output;
}
