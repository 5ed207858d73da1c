/** Up and down through what was said before, as a shell does; only while nothing else stands in the composer. */
import { setDraft } from './actions.ts';
import { draft, turns } from './store.ts';
import { firstWords } from './text/turnFold.ts';

/** How many messages back; 0 is the present. */
let place = 0;

export function recallKey(event: KeyboardEvent): void {
  const step = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
  if (step === 0) return;
  const said = [...new Set(turns.value.map(firstWords))].filter((text) => text !== '').toReversed();
  if (draft.value !== (place === 0 ? '' : said[place - 1])) {
    place = 0;
    if (draft.value !== '') return;
  }
  const next = place + step;
  if (next < 0 || next > said.length) return;
  event.preventDefault();
  place = next;
  setDraft(place === 0 ? '' : (said[place - 1] ?? ''));
}
