import { useId } from 'preact/hooks';
import { cancelEdit, restoreFilesToo } from '../actions.ts';
import { IconButton } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';
import { plural, t } from '../l10n.ts';
import { draftEdit, isResending, turnsFrom } from '../store.ts';
import { changesFiles } from '../text/turnFold.ts';

/** Explains what sending the edit of an earlier message does. */
export function EditBar() {
  const id = useId();
  const edit = draftEdit.value;
  if (edit?.type !== 'sent') return null;
  const gone = turnsFrom(edit.id);
  return (
    <div class="edit-bar" role="group" aria-label={t('Edit Message')} data-testid="edit-bar">
      <Icon name="edit" />
      <div class="edit-bar-text">
        <p>{removes(gone.length)}</p>
        {gone.some(changesFiles) && (
          <label for={id}>
            <input
              id={id}
              type="checkbox"
              data-testid="edit-restore-files"
              checked={edit.restoresFiles}
              disabled={isResending.value}
              onChange={({ currentTarget }) => restoreFilesToo(currentTarget.checked)}
            />
            {t('Also restore the files (with a preview)')}
          </label>
        )}
      </div>
      <IconButton testid="edit-cancel" icon="close" label={t('Cancel Edit (Escape)')} onClick={cancelEdit} />
    </div>
  );
}

function removes(turns: number): string {
  if (turns < 2) return t('Sending replaces this message and its answer.');
  return plural(
    turns - 1,
    'Sending replaces this message and its answer, and removes {0} later turn.',
    'Sending replaces this message and its answer, and removes {0} later turns.',
  );
}
