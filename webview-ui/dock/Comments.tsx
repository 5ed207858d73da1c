import { runCommand } from '../actions.ts';
import { Act, Button } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';
import { plural, t } from '../l10n.ts';
import { pendingComments } from '../store.ts';

/** Shows the comments on lines in the editor that are not sent yet. */
export function Comments() {
  const { count, files } = pendingComments.value;
  if (count === 0) return null;
  return (
    <section class="proposed" aria-label={t('Comments to send')} data-testid="comments">
      <Icon name="comment" />
      <span class="proposed-title">
        {plural(count, '{0} comment', '{0} comments')} {plural(files, 'in {0} file', 'in {0} files')}
      </span>
      <span class="proposed-acts">
        <Act testid="comments-show" onClick={() => runCommand('comments.show')}>
          {t('Show')}
        </Act>
        <Act testid="comments-discard" onClick={() => runCommand('comments.discard')}>
          {t('Discard…')}
        </Act>
        <Button testid="comments-send" onClick={() => runCommand('comments.send')}>
          {t('Send')}
        </Button>
      </span>
    </section>
  );
}
