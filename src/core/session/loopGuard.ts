import type { ToolCall, ToolOutput } from '../tools/handler.ts';
import { fingerprintOf } from '../tools/router.ts';

const REPEATS = 3;

/** Notices when the same call gives the same answer again and again (design decision 19). Of one turn. */
export class LoopGuard {
  #last: string | undefined;
  #count = 0;

  /** What to tell the model, at every third identical call in a row. */
  note(call: ToolCall, answer: ToolOutput): string | undefined {
    const fingerprint = JSON.stringify([fingerprintOf(call), withoutTimes(answer.output)]);
    this.#count = fingerprint === this.#last ? this.#count + 1 : 1;
    this.#last = fingerprint;
    if (this.#count % REPEATS !== 0) return undefined;
    return 'Note: this was the same call with the same result three times in a row. Do something else, or say what blocks you.';
  }
}

/** How long a command took is no part of what it said. */
function withoutTimes(output: ToolOutput['output']): unknown {
  return typeof output === 'string' ? output.replace(/^Wall time: .*$/m, '') : output;
}
