import { runCommand } from '../actions.ts';
import { plural, t } from '../l10n.ts';
import { sideCopy } from '../store.ts';
import { Button, IconButton } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';

/** Shows the changes of a thread that works in a side copy, with the action to bring them home. */
export function SideCopy() {
  if (sideCopy.value === null) return null;
  const { changed } = sideCopy.value;
  return (
    <section class="review" aria-label={t('Side copy')} data-testid="side-copy">
      <div class="step-line">
        <span class="review-row still">
          <Icon name="repo-forked" />
          <span class="review-title" role="status">
            {t('Side copy')}
            {changed !== null && ` · ${stateOf(changed)}`}
          </span>
        </span>
        <span class="step-acts">
          {changed !== 0 && (
            <Button testid="bring-home" onClick={() => runCommand('bringHome')}>
              {t('Bring Home')}
            </Button>
          )}
          <IconButton
            testid="side-copies"
            icon="list-unordered"
            label={t('Show All Side Copies')}
            onClick={() => runCommand('sideCopies')}
          />
        </span>
      </div>
    </section>
  );
}

function stateOf(changed: number): string {
  return changed === 0 ? t('no changes') : plural(changed, '{0} file changed', '{0} files changed');
}
