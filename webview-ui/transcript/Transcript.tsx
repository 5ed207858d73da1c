import { useRef } from 'preact/hooks';
import { copyText, loadEarlier } from '../actions.ts';
import { post } from '../bridge.ts';
import { plural, t } from '../l10n.ts';
import { hiddenTurns, threadError, threadWarnings, visibleTurns } from '../store.ts';
import { followsEnd } from '../view.ts';
import { Button } from '../components/Buttons.tsx';
import { EmptyState } from './EmptyState.tsx';
import { FindBar, useFindKey } from './FindBar.tsx';
import { Icon } from '../components/Icon.tsx';
import { useMessageKeys } from './messageKeys.ts';
import { ErrorNotice } from './Notices.tsx';
import { onScroll, toEnd, useFollowing, useKeptPlace } from './place.ts';
import { Turn } from './Turn.tsx';
import { useDrawnTurns } from './useDrawnTurns.ts';
import { canBeRestored, Warnings } from './Warnings.tsx';

/**
 * The scrolling part of the panel. It follows its end unless the user has scrolled up; then a button leads back to the
 * end.
 */
export function Transcript() {
  const frame = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const turns = useDrawnTurns();
  useFollowing(frame, content);
  useKeptPlace(frame, turns[0]?.id ?? null);
  useFindKey();
  useMessageKeys(frame);
  const isEmpty = visibleTurns.value.length === 0;
  return (
    <>
      <FindBar root={frame} turns={turns} />
      <main
        class="transcript"
        tabIndex={0}
        aria-label={t('Transcript')}
        data-testid="transcript"
        ref={frame}
        onScroll={() => frame.current && onScroll(frame.current)}
        onClick={openLink}
      >
        <div class="col" ref={content}>
          <Earlier />
          {turns.map((turn) => (
            <Turn key={turn.id} turn={turn} />
          ))}
          <ThreadNotices />
          {isEmpty && <EmptyState />}
        </div>
      </main>
      {!followsEnd.value && (
        <button
          type="button"
          class="jump"
          data-testid="jump-to-latest"
          title={t('Jump to Latest')}
          aria-label={t('Jump to Latest')}
          onClick={() => frame.current && toEnd(frame.current)}
        >
          <Icon name="arrow-down" />
        </button>
      )}
    </>
  );
}

function Earlier() {
  if (hiddenTurns.value === 0) return null;
  return (
    <div class="earlier">
      <Button testid="load-earlier" kind="quiet" icon="history" onClick={loadEarlier}>
        {plural(hiddenTurns.value, 'Load Earlier: {0} turn', 'Load Earlier: {0} turns')}
      </Button>
    </div>
  );
}

/** Shows the errors and warnings that belong to no turn. */
function ThreadNotices() {
  const warnings = threadWarnings.value.filter(
    (warning, index, all) => index >= all.length - 3 || canBeRestored(warning),
  );
  const error = threadError.value;
  if (warnings.length === 0 && error === null) return null;
  return (
    <div class="reply">
      {warnings.length > 0 && <Warnings warnings={warnings} />}
      {error && <ErrorNotice error={error} settings={null} isLive />}
    </div>
  );
}

/**
 * Handles a click in Markdown: the host opens links to files and to the web; a nested block of code has a button that
 * copies it.
 */
function openLink(event: MouseEvent): void {
  const button = event.target instanceof Element ? event.target.closest('[data-act=copy]') : null;
  if (button !== null) return copyText((button.closest('figure')?.querySelector('code')?.textContent ?? '').trimEnd());
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null) return;
  event.preventDefault();
  event.stopPropagation();
  const { path, line } = link.dataset;
  if (path === undefined) post({ type: 'open_link', url: link.href });
  else if (path !== '') post({ type: 'open_file', path, ...(line === undefined ? {} : { line: Number(line) }) });
}
