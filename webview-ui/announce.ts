/** Announcements for screen readers: pending requests, and the end of a turn. */
import { isCompactionAlone } from '../src/protocol/thread.ts';
import { effect, untracked } from '@preact/signals';
import { decisionSubject, decisionTitle } from './decisions/titles.ts';
import { t } from './l10n.ts';
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
  return turn?.status.type === 'completed' ? t('Tiller has finished') : t('Stopped');
}
