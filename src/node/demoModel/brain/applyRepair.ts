/** The part of a story that changes one line of a file. */
import type { Answer, PatchForm } from '../conversation.ts';
import { patchCall } from './calls.ts';
import type { WorkingTools } from './execute.ts';
import { readFiles } from './explore.ts';
import { type LineChange, patchFor, relocated } from './patchText.ts';
import { readPatchOutcome } from './patchOutcome.ts';
import { finish, type Story } from './story.ts';
import { patchDenied, patchDoesNotFit, says } from './wording.ts';

/** Lines of context: generous first, then minimal. */
const REACHES = [3, 1] as const;

export type PatchingTools = WorkingTools & { readonly patch: PatchForm };

export interface AppliedPatch {
  /** The first one computed: the line may have moved since. */
  readonly change: LineChange;
  /** The file directly before the change. */
  readonly text: string;
}

/**
 * Makes the change, or ends the story. A patch that does not fit is retried once with the file's current text.
 * `stateNote`: the sentence of the final message about the state of the files.
 */
export function* apply(
  tools: PatchingTools,
  preface: Answer,
  wanted: LineChange,
  known: string,
  stateNote: string,
): Story<AppliedPatch> {
  let interrupted: AppliedPatch = { change: wanted, text: known };
  let words = preface;
  let refusal = '';
  for (const reach of REACHES) {
    const call = patchCall(tools.patch, patchFor(interrupted.change, interrupted.text, reach));
    const outputs = yield [...words, { type: 'call', call }];
    const outcome = readPatchOutcome(outputs.at(-1) ?? '');
    if (outcome.type === 'applied') return interrupted;
    if (outcome.type === 'denied')
      return yield* finish(says(patchDenied(outcome.message, interrupted.change, stateNote)));
    refusal = outcome.message;
    if (reach === REACHES.at(-1)) break;

    const reread: Answer = [{ type: 'message', text: `The patch does not fit. I will read \`${wanted.path}\` again.` }];
    const text = (yield* readFiles(tools, [wanted.path], reread, stateNote)).get(wanted.path);
    const change = text === undefined ? undefined : relocated(wanted, text);
    if (text === undefined || change === undefined) break;
    interrupted = { change, text };
    words = [{ type: 'message', text: 'Once more, with the file as it is now.' }];
  }
  return yield* finish(says(patchDoesNotFit(refusal, wanted.path, stateNote)));
}
