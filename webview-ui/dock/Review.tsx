import { useLayoutEffect, useRef } from 'preact/hooks';
import type { PendingReviewFile } from '../../src/protocol/wire.ts';
import { post } from '../bridge.ts';
import { plural, t } from '../l10n.ts';
import { composerFocus, review } from '../store.ts';
import { splitPath } from '../text/fileLink.ts';
import { Act, Button } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';

/** Shows the applied changes that are pending in review: one line, and the files when the user opens it. */
export function Review() {
  const { changes, fileCount, files } = review.value;
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => focusNextFile(element.current), [changes]);
  if (changes === 0) return null;
  const hidden = fileCount - files.length;
  return (
    <section class="review" aria-label={t('Changes to review')} data-testid="review" ref={element}>
      <div class="step-line">
        <details>
          <summary class="review-row">
            <Icon name="git-compare" />
            <span class="review-title">
              {plural(changes, '{0} change', '{0} changes')} {plural(fileCount, 'in {0} file', 'in {0} files')}
            </span>
            <Icon name="chevron-right" className="step-chevron" />
          </summary>
          <ul class="review-list">
            {files.map((file) => (
              <File key={file.path} file={file} />
            ))}
            {hidden > 0 && <li class="review-more">{plural(hidden, 'and {0} more file', 'and {0} more files')}</li>}
          </ul>
        </details>
        <span class="step-acts">
          <Act testid="review-next" onClick={() => run('tiller.review.next')}>
            {t('Next')}
          </Act>
          <Button testid="review-keep-all" onClick={() => decide(() => run('tiller.review.keepAll'))}>
            {t('Keep All')}
          </Button>
          <Button testid="review-undo-all" onClick={() => decide(() => run('tiller.review.undoAll'))}>
            {t('Undo All')}
          </Button>
        </span>
      </div>
    </section>
  );
}

function File({ file: { path, name, kind, changes } }: { file: PendingReviewFile }) {
  const [folder, last] = splitPath(name);
  const send = (what: 'keep' | 'undo' | 'open') => post({ type: 'review_file', path, what });
  return (
    <li class="review-file" data-testid="review-file">
      <button
        type="button"
        class="review-open"
        data-testid="review-open"
        title={name}
        aria-label={t('Show {0}', name)}
        onClick={() => send('open')}
      >
        <Icon name="file" />
        <span class="fr-path">
          {last} <span class="fr-dir">{folder.replace(/[\\/]$/, '')}</span>
        </span>
      </button>
      <span class="review-count">{tagOf(kind) || plural(changes, '{0} change', '{0} changes')}</span>
      <Act testid="review-keep" label={t('Keep {0}', name)} onClick={() => decide(() => send('keep'))}>
        {t('Keep')}
      </Act>
      <Act testid="review-undo" label={t('Undo {0}', name)} onClick={() => decide(() => send('undo'))}>
        {t('Undo')}
      </Act>
    </li>
  );
}

function tagOf(kind: PendingReviewFile['kind']): string {
  const tags = { edited: '', added: t('new'), moved: t('moved'), deleted: t('deleted') };
  return tags[kind];
}

function run(command: string): void {
  post({ type: 'run_command', command });
}

/** True after a file was kept or undone here: its button is removed with its row. */
let hasDecided = false;

function decide(act: () => void): void {
  hasDecided = true;
  act();
}

/** After a file was kept or undone with the keyboard, focuses the next file, or the composer if there is none. */
function focusNextFile(strip: HTMLElement | null): void {
  if (!hasDecided || document.activeElement !== document.body) return;
  hasDecided = false;
  const next = strip?.querySelector<HTMLElement>('[data-testid=review-keep], [data-testid=review-next]');
  if (next) next.focus();
  else composerFocus.value++;
}
