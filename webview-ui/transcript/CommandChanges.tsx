import { useComputed } from '@preact/signals';
import type { ChangedFile, CommandChanges as Changes } from '../../src/protocol/baseline.ts';
import { post } from '../bridge.ts';
import { plural, t } from '../l10n.ts';
import { cwd, lastWriters, pathsInReview } from '../store.ts';
import { hasPendingChanges } from '../text/commandReview.ts';
import { whyNotUndone } from '../text/whyNotUndone.ts';
import { Act } from '../components/Buttons.tsx';
import { LineCount } from '../components/Facts.tsx';
import { FileFacts, sumOf } from '../components/FileRows.tsx';
import { Icon } from '../components/Icon.tsx';
import { Step } from '../components/Step.tsx';

/** Maximum number of file rows. Further files are only counted; a diff editor shows all of them. */
const MOST_ROWS = 50;

/** Shows the changes that a command made to the workspace: a folded row below that of the command. */
export function CommandChanges({ itemId, changed }: { itemId: string; changed: Changes }) {
  const { files, total } = changed;
  const isPending = useComputed(() =>
    hasPendingChanges(itemId, files, {
      folder: cwd.value ?? '',
      inReview: pathsInReview.value,
      writers: lastWriters.value,
    }),
  ).value;
  const decide = (what: 'keep' | 'undo') => post({ type: 'review_command', itemId, what });
  return (
    <Step
      testid="command-changes"
      className="under-command"
      icon="diff"
      label={plural(total, '{0} file changed', '{0} files changed')}
      meta={
        // If there are more files than are named, the number of lines is not known.
        total === files.length && (
          <LineCount {...sumOf(files.map(({ added = 0, removed = 0 }) => ({ added, removed })))} />
        )
      }
      body={() => <ChangedFiles changed={changed} />}
      foot={
        <>
          <Act testid="command-changes-review" onClick={() => post({ type: 'open_diff', itemId })}>
            {t('Show Changes')}
          </Act>
          {isPending && (
            <>
              <Act testid="command-changes-keep" onClick={() => decide('keep')}>
                {t('Keep')}
              </Act>
              <Act testid="command-changes-undo" onClick={() => decide('undo')}>
                {t('Undo')}
              </Act>
            </>
          )}
        </>
      }
    />
  );
}

function ChangedFiles({ changed: { files, total, cannotUndo } }: { changed: Changes }) {
  const rows = files.slice(0, MOST_ROWS);
  return (
    <div class="patch">
      {cannotUndo > 0 && (
        <p class="fr-more">{plural(cannotUndo, '{0} file cannot be undone', '{0} files cannot be undone')}</p>
      )}
      <div class="files">
        {rows.map((file) => (
          <div class="fr" key={file.path} data-testid="changed-file">
            <div class="fr-row">
              <span class="step-icon">
                <Icon name="file" />
              </span>
              <FileFacts
                path={file.path}
                tag={tagOf(file)}
                because={becauseOf(file)}
                added={file.added ?? 0}
                removed={file.removed ?? 0}
              />
            </div>
          </div>
        ))}
        {total > rows.length && <p class="fr-more">{plural(total - rows.length, '{0} more file', '{0} more files')}</p>}
      </div>
    </div>
  );
}

function tagOf(file: ChangedFile): string {
  if (file.cannotUndo !== undefined) return t('cannot be undone');
  if (file.uncertain) return t('uncertain');
  if (file.kind === 'add') return t('new');
  return file.kind === 'delete' ? t('deleted') : '';
}

function becauseOf({ cannotUndo, uncertain }: ChangedFile): string | undefined {
  if (cannotUndo !== undefined) return whyNotUndone(cannotUndo);
  return uncertain ? t('Another program or thread may have changed it.') : undefined;
}
