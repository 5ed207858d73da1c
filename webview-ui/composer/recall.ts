/**
 * Recalls earlier messages with the up and down keys, as a shell does: first those of this thread, then those of all
 * others. Works only while the draft is empty or an unchanged recalled message.
 */
import { setDraft } from '../actions.ts';
import { draft, userMessages } from '../store.ts';

/** The number of steps back from the draft; 0 is the draft itself. */
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
