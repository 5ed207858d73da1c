/** Announcements for screen readers: pending requests, and the end of a turn. */
import { isCompactionAlone, reviewAlone } from '../src/protocol/thread.ts';
import { effect, untracked } from '@preact/signals';
import { decisionSubject, decisionTitle } from './decisions/titles.ts';
import { plural, t } from './l10n.ts';
import { activeTurnId, thread, waiting } from './store.ts';
import { announcement } from './view.ts';

export function announceNews(): void {
  let lastWaiting: readonly string[] = [];
  let lastActive: string | null = null;
  effect(() => {
    const [first] = waiting.value;
    const next = waiting.value.find(({ id }) => !lastWaiting.includes(id)) ?? first;
    const isUpdate = next !== first || first?.id !== lastWaiting[0];
    const active = activeTurnId.value;
    if (next !== undefined && isUpdate) {
      announcement.value = t('Waiting for you: {0}', `${decisionTitle(next)} ${decisionSubject(next)}`.trim());
    } else if (active === null && lastActive !== null) {
      announcement.value = untracked(endOfTurn);
    }
    lastWaiting = waiting.value.map(({ id }) => id);
    lastActive = active;
  });
}

function endOfTurn(): string {
  const turn = thread.value?.turns.at(-1);
  if (turn?.error) return t('Failed: {0}', turn.error.message);
  if (turn?.status.type === 'completed' && isCompactionAlone(turn)) return t('Thread compacted');
  const review = turn && reviewAlone(turn);
  if (review?.status === 'completed') {
    return plural(review.findings.length, 'Reviewed: {0} finding', 'Reviewed: {0} findings');
  }
  return turn?.status.type === 'completed' ? t('Tiller has finished') : t('Stopped');
}
