import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { copyText, loadEarlier } from '../actions.ts';
import type { TurnState } from '../../src/protocol/thread.ts';
import { post, savedState, saveState } from '../bridge.ts';
import { plural, t } from '../l10n.ts';
import { draft, hiddenTurns, threadError, threadId, threadWarnings, visibleTurns } from '../store.ts';
import { nextStart } from '../text/slices.ts';
import { followsEnd } from '../view.ts';
import { Button } from '../components/Buttons.tsx';
import { drawLater } from '../components/drawLater.ts';
import { EmptyState } from './EmptyState.tsx';
import { FindBar, useFindKey } from './FindBar.tsx';
import { Icon } from '../components/Icon.tsx';
import { ErrorNotice } from './Notices.tsx';
import { Turn } from './Turn.tsx';
import { canBeRestored, Warnings } from './Warnings.tsx';

/** Within this distance, in pixels, the end counts as visible. */
const END_MARGIN = 24;

/** The scrolling part. It follows its end unless the user scrolls up; then a button leads back. */
export function Transcript() {
  const frame = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const turns = useDrawnTurns();
  useFollowing(frame, content);
  useKeptPlace(frame, turns[0]?.id ?? null);
  useFindKey();
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

/** Errors and warnings that belong to no turn. */
function ThreadNotices() {
  const warnings = threadWarnings.value.filter((one, index, all) => index >= all.length - 3 || canBeRestored(one));
  const error = threadError.value;
  if (warnings.length === 0 && error === null) return null;
  return (
    <div class="reply">
      {warnings.length > 0 && <Warnings warnings={warnings} />}
      {error && <ErrorNotice error={error} settings={null} isLive />}
    </div>
  );
}

function toEnd(frame: HTMLElement): void {
  followsEnd.value = true;
  frame.scrollTop = frame.scrollHeight;
}

/** The size of the frame at the last layout. */
let seenSize = '';

function sizeOf({ clientWidth, clientHeight }: HTMLElement): string {
  return `${clientWidth} ${clientHeight}`;
}

function onScroll(frame: HTMLElement): void {
  // Resizing the panel also fires scroll events, which are not the user's.
  if (followsEnd.value && sizeOf(frame) !== seenSize) return;
  followsEnd.value = frame.scrollHeight - frame.scrollTop - frame.clientHeight < END_MARGIN;
  rememberPlace(frame);
}

let placeTimer: ReturnType<typeof setTimeout> | undefined;

function rememberPlace(frame: HTMLElement): void {
  clearTimeout(placeTimer);
  placeTimer = setTimeout(() => {
    const scrollTop = followsEnd.value ? null : frame.scrollTop;
    const saved = savedState();
    saveState({ ...saved, threadId: threadId.value, draft: draft.value, scrollTop });
  }, 200);
}

type Ref<Element> = { readonly current: Element | null };

/** Keeps the end visible while the text or the dock grows. Runs between layout and paint: no jump, no extra layout. */
function useFollowing(frame: Ref<HTMLElement>, content: Ref<HTMLElement>): void {
  useEffect(() => {
    if (frame.current === null || content.current === null) return;
    const observer = new ResizeObserver(() => {
      if (!frame.current) return;
      seenSize = sizeOf(frame.current);
      if (followsEnd.value) frame.current.scrollTop = frame.current.scrollHeight;
    });
    observer.observe(frame.current);
    observer.observe(content.current);
    return () => observer.disconnect();
  }, [frame, content]);
}

/**
 * The shown turns of which the page has drawn all later ones, from the end on: the others follow in the next frames. All
 * of them where a scroll position is to be restored.
 */
function useDrawnTurns(): readonly TurnState[] {
  const { value: turns } = visibleTurns;
  const { value: id } = threadId;
  const first = useRef<{ readonly threadId: string | null; readonly turnId: string | undefined }>(null);
  const [, redraw] = useState('');
  const known = first.current?.threadId === id ? turns.findIndex((turn) => turn.id === first.current?.turnId) : -1;
  const start = known === -1 ? (placeKept(id) === null ? nextStart(turns, turns.length) : 0) : known;
  first.current = { threadId: id, turnId: turns[start]?.id };
  useEffect(() => {
    if (start === 0) return undefined;
    return drawLater(() => {
      const turnId = turns[nextStart(turns, start)]?.id;
      first.current = { threadId: id, turnId };
      redraw(`${id} ${turnId}`);
    });
  }, [id, turns[start]?.id, turns[0]?.id]);
  return useMemo(() => turns.slice(start), [turns, start]);
}

/** The scroll position that was saved for the thread. */
function placeKept(id: string | null): number | null {
  const saved = savedState();
  return saved?.threadId === id ? saved.scrollTop : null;
}

/** Restores the scroll position after a reload, and the visible line when turns are added before it. */
function useKeptPlace(frame: Ref<HTMLElement>, firstId: string | null): void {
  const { value: id } = threadId;
  const lastSeen = useRef<{ firstId: string | null; threadId: string | null }>(null);
  const isSameThread = lastSeen.current?.threadId === id;
  const isKept = isSameThread && lastSeen.current?.firstId !== firstId && !followsEnd.peek();
  // Only then: it makes the browser compute the layout. The browser itself keeps the line in some cases.
  const line = isKept ? (frame.current?.querySelector('.turn') ?? null) : null;
  const topBefore = line?.getBoundingClientRect().top ?? 0;
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    if (!isSameThread) {
      const kept = placeKept(id);
      followsEnd.value = kept === null;
      element.scrollTop = kept ?? element.scrollHeight;
    } else if (line !== null) {
      element.scrollTop += line.getBoundingClientRect().top - topBefore;
    }
    lastSeen.current = { firstId, threadId: id };
  }, [frame, id, firstId]);
}

/** Links in Markdown, to a file or the web, are opened by the host; a nested block of code has a button to copy it. */
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
