/** What a screen reader is told without being asked: what waits, and how a turn ended. */
import { effect, untracked } from '@preact/signals';
import { decisionSubject, decisionTitle } from './decisions.ts';
import { t } from './l10n.ts';
import { activeTurnId, thread, waiting } from './store.ts';
import { announcement } from './view.ts';

export function announceNews(): void {
  let lastWaiting: string | null = null;
  let lastActive: string | null = null;
  effect(() => {
    const [first] = waiting.value;
    const active = activeTurnId.value;
    if (first !== undefined && first.id !== lastWaiting) {
      announcement.value = t('Waiting for you: {0}', `${decisionTitle(first)} ${decisionSubject(first)}`.trim());
    } else if (active === null && lastActive !== null) {
      announcement.value = untracked(endOfTurn);
    }
    lastWaiting = first?.id ?? null;
    lastActive = active;
  });
}

function endOfTurn(): string {
  const turn = thread.value?.turns.at(-1);
  if (turn?.error) return t('Failed: {0}', turn.error.message);
  return turn?.status.type === 'completed' ? t('Tiller has finished') : t('Stopped');
}
