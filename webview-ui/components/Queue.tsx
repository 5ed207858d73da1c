import { firstLine } from '../../src/protocol/oneLine.ts';
import { editQueued, sendQueuedNow, withdrawQueued } from '../actions.ts';
import { t } from '../l10n.ts';
import { queuedInputs } from '../store.ts';
import { editedQueue } from '../view.ts';
import { IconButton } from './Buttons.tsx';
import { Icon } from './Icon.tsx';
import { textOf } from './UserMessage.tsx';

/** Said while it works, not yet heard: it joins the turn at its next step. */
export function Queue() {
  const queued = queuedInputs.value;
  if (queued.length === 0) return null;
  return (
    <ul class="queue" aria-label={t('Queued messages')} data-testid="queue">
      {queued.map(({ id, input }) => (
        <li key={id} data-testid="queued-message" data-edited={editedQueue.value?.id === id}>
          <Icon name="arrow-right" />
          <span class="queue-text">{firstLine(textOf(input), 200)}</span>
          <span class="queue-actions">
            <IconButton
              testid="queued-send-now"
              icon="debug-step-over"
              label={t('Stop and send now')}
              onClick={() => sendQueuedNow(id)}
            />
            <IconButton
              testid="queued-edit"
              icon="edit"
              label={t('Edit queued message')}
              onClick={() => editQueued(id, textOf(input))}
            />
            <IconButton
              testid="queued-withdraw"
              icon="close"
              label={t('Remove queued message')}
              onClick={() => withdrawQueued(id)}
            />
          </span>
        </li>
      ))}
    </ul>
  );
}
