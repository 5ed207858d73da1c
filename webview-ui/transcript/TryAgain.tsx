import { useSignal } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { canGoBack, resend } from '../actions.ts';
import { Button } from '../components/Buttons.tsx';
import { plural, t } from '../l10n.ts';
import { isResending, turns, turnsFrom } from '../store.ts';
import { changesFiles } from '../text/turnFold.ts';
import { afterModelChoice, openPopup } from '../view.ts';

/**
 * Returns the id of the message that a turn answers: its own message, or, if the turn continues an earlier one, the
 * message of that one.
 */
export function messageOf(turnId: string): string | null {
  const index = turns.peek().findIndex(({ id }) => id === turnId);
  const asking = turns
    .peek()
    .slice(0, index + 1)
    .findLast(({ items: [first] }) => first?.type === 'user_message');
  return asking?.items[0]?.id ?? null;
}

/** Asks before sending the message of a turn again, and names what is lost by it. */
export function TryAgain({ itemId, onClose }: { itemId: string; onClose: () => void }) {
  const element = useRef<HTMLDivElement>(null);
  const restoresFiles = useSignal(false);
  const id = useId();
  const gone = turnsFrom(itemId);
  const mayGoBack = canGoBack(itemId);
  useLayoutEffect(() => element.current?.querySelector('button')?.focus(), []);
  const again = () => resend(itemId, null, restoresFiles.value);
  return (
    <div
      ref={element}
      class="again"
      role="group"
      aria-label={t('Try Again')}
      data-testid="try-again"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        onClose();
      }}
    >
      <p>
        {mayGoBack ? loses(gone.length) : t('The thread was compacted since: it cannot go back to before this answer.')}
      </p>
      {mayGoBack && gone.some(changesFiles) && (
        <label for={id}>
          <input
            id={id}
            type="checkbox"
            data-testid="try-again-restore-files"
            checked={restoresFiles.value}
            onChange={({ currentTarget }) => (restoresFiles.value = currentTarget.checked)}
          />
          {t('Also restore the files (with a preview)')}
        </label>
      )}
      <div class="again-acts">
        {mayGoBack && (
          <>
            <Button
              testid="try-again-same"
              disabled={isResending.value}
              onClick={() => {
                again();
                onClose();
              }}
            >
              {t('Try Again')}
            </Button>
            <Button
              testid="try-again-model"
              disabled={isResending.value}
              onClick={() => {
                onClose();
                afterModelChoice.current = again;
                openPopup.value = 'model';
              }}
            >
              {t('With Another Model…')}
            </Button>
          </>
        )}
        <Button testid="try-again-cancel" kind="quiet" shortcut="Esc" onClick={onClose}>
          {t('Cancel')}
        </Button>
      </div>
    </div>
  );
}

function loses(turns: number): string {
  if (turns < 2) return t('This answer is removed, and its message is sent again.');
  return plural(
    turns - 1,
    'This answer and {0} later turn are removed, and its message is sent again.',
    'This answer and {0} later turns are removed, and its message is sent again.',
  );
}
