/**
 * Up and down through what was said before, as a shell does: in this thread, then in any other. Only while nothing else
 * stands in the composer.
 */
import { setDraft } from '../actions.ts';
import { draft, said } from '../store.ts';

/** How many messages back; 0 is the present. */
let place = 0;

export function recallKey(event: KeyboardEvent): void {
  const step = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
  if (step === 0) return;
  const words = said.value;
  if (draft.value !== (place === 0 ? '' : words[place - 1])) {
    place = 0;
    if (draft.value !== '') return;
  }
  const next = place + step;
  if (next < 0 || next > words.length) return;
  event.preventDefault();
  place = next;
  setDraft(place === 0 ? '' : (words[place - 1] ?? ''));
}
