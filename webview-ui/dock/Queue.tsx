import { firstLine } from '../../src/protocol/text/truncate.ts';
import { cancelEdit, editQueued, sendQueuedNow, withdrawQueued } from '../actions.ts';
import { t } from '../l10n.ts';
import { draftEdit, queuedInputs } from '../store.ts';
import { IconButton } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';
import type { UserInput } from '../../src/protocol/item.ts';
import { textOfInput } from '../../src/protocol/thread.ts';

/**
 * Lists the messages that were sent while a turn runs: they join the turn at its next request. A message that is edited
 * in the composer is held back.
 */
export function Queue() {
  const queued = queuedInputs.value;
  if (queued.length === 0) return null;
  return (
    <ul class="queue" aria-label={t('Queued messages')} data-testid="queue">
      {queued.map(({ id, input }) => (
        <QueuedRow key={id} id={id} input={input} isEdited={draftEdit.value?.id === id} />
      ))}
    </ul>
  );
}

function QueuedRow({ id, input, isEdited }: { id: string; input: readonly UserInput[]; isEdited: boolean }) {
  return (
    <li data-testid="queued-message" data-edited={isEdited}>
      <Icon name={isEdited ? 'edit' : 'arrow-right'} />
      <span class="queue-text" dir="auto">
        {firstLine(textOfInput(input), 200)}
      </span>
      <span class="queue-actions">
        {isEdited ? (
          <IconButton
            testid="queued-cancel-edit"
            icon="discard"
            label={t('Cancel editing (Esc)')}
            onClick={cancelEdit}
          />
        ) : (
          <>
            <IconButton
              testid="queued-send-now"
              icon="debug-step-over"
              label={t('Stop and Send Now')}
              onClick={() => sendQueuedNow(id)}
            />
            <IconButton
              testid="queued-edit"
              icon="edit"
              label={t('Edit Queued Message')}
              onClick={() => editQueued(id, input)}
            />
          </>
        )}
        <IconButton
          testid="queued-withdraw"
          icon="close"
          label={t('Remove Queued Message')}
          onClick={() => withdrawQueued(id)}
        />
      </span>
    </li>
  );
}
