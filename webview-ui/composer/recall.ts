/**
 * Recalls earlier messages with the up and down keys, as a shell does: of this thread, then of all others. Only while
 * the composer contains nothing else.
 */
import { setDraft } from '../actions.ts';
import { draft, userMessages } from '../store.ts';

/** The number of messages back; 0 is the draft. */
let stepsBack = 0;

export function recallKey(event: KeyboardEvent): void {
  const step = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
  if (step === 0) return;
  const texts = userMessages.value;
  if (draft.value !== (stepsBack === 0 ? '' : texts[stepsBack - 1])) {
    stepsBack = 0;
    if (draft.value !== '') return;
  }
  const next = stepsBack + step;
  if (next < 0 || next > texts.length) return;
  event.preventDefault();
  stepsBack = next;
  setDraft(stepsBack === 0 ? '' : (texts[stepsBack - 1] ?? ''));
}
