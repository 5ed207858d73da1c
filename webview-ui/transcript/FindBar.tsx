import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { plural, t } from '../l10n.ts';
import type { TurnState } from '../../src/protocol/thread.ts';
import { hiddenTurns } from '../store.ts';
import { finding, followsEnd, openFind } from '../view.ts';
import { IconButton } from '../components/Buttons.tsx';
import { isDrawing, partsDrawn } from '../components/drawLater.ts';
import { findText, MOST_FOUND } from './findText.ts';

/** Milliseconds after the last key until the transcript is searched. */
const DEBOUNCE_MS = 120;
/** Minimum milliseconds between two searches: a streaming answer changes the transcript in every frame. */
const THROTTLE_MS = 400;
const ALL = 'tiller-find';
const CURRENT = 'tiller-find-current';
const NOTHING = { text: '', ranges: [], isPartial: false };

/**
 * Opens the search on Ctrl+F anywhere in the panel. The search covers the turns that the page shows: all of them are in
 * the page.
 */
export function useFindKey(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isFind = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key === 'f';
      if (!isFind) return;
      event.preventDefault();
      openFind();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

interface Found {
  readonly text: string;
  readonly ranges: readonly Range[];
  /** True if the transcript was only drawn in part when it was searched. */
  readonly isPartial: boolean;
}

/**
 * Finds a text in the drawn transcript. Returns the matches, which are kept up to date while the bar is open, and the
 * selected one.
 */
function useMatches(
  root: { readonly current: HTMLElement | null },
  turns: readonly TurnState[],
  text: Signal<string>,
  isOpen: boolean,
) {
  const found = useSignal<Found>(NOTHING);
  const index = useSignal(0);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const search = () => {
    timer.current = undefined;
    if (root.current === null) return;
    const before = found.value.text === text.value ? found.value.ranges[index.value] : undefined;
    const ranges = findText(root.current, text.value);
    const same = ranges.findIndex((range) => before !== undefined && beginsAt(range, before));
    index.value = same === -1 ? Math.min(index.value, Math.max(0, ranges.length - 1)) : same;
    found.value = { text: text.value, ranges, isPartial: isDrawing.peek() };
    CSS.highlights.set(ALL, new Highlight(...ranges));
    markCurrent(ranges[index.value]);
  };
  useEffect(() => {
    if (!isOpen) return;
    clearTimeout(timer.current);
    timer.current = setTimeout(search, DEBOUNCE_MS);
  }, [isOpen, text.value]);
  useEffect(() => {
    if (isOpen) timer.current ??= setTimeout(search, THROTTLE_MS);
  }, [turns, isOpen ? partsDrawn.value : 0, isOpen && isDrawing.value]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
      found.value = NOTHING;
    },
    [isOpen],
  );
  useEffect(() => clearMarks, []);

  const move = (step: 1 | -1) => {
    const { ranges } = found.value;
    const { length } = ranges;
    if (length === 0) return;
    index.value = (index.value + step + length) % length;
    markCurrent(ranges[index.value]);
    followsEnd.value = false;
    const at = ranges[index.value]?.startContainer.parentElement;
    // Unfolds a folded message, with the event that the browser's own search sends.
    at?.closest('.is-folded')?.dispatchEvent(new Event('beforematch'));
    at?.scrollIntoView({ block: 'center' });
  };
  return { found, index, move };
}

/** Searches in the transcript: Enter and Shift+Enter move through the matches, Esc closes. */
export function FindBar(props: {
  root: { readonly current: HTMLElement | null };
  /** The turns that the page has drawn. */
  turns: readonly TurnState[];
}) {
  const { root, turns } = props;
  const field = useRef<HTMLInputElement>(null);
  const text = useSignal('');
  const { value: request } = finding;
  const isOpen = request !== 0;

  useLayoutEffect(() => {
    if (request === 0) return;
    field.current?.focus();
    field.current?.select();
  }, [request]);

  const { found, index, move } = useMatches(root, turns, text, isOpen);

  if (request === 0) return null;
  const close = () => {
    finding.value = 0;
    clearMarks();
    root.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && event.target === field.current) move(event.shiftKey ? -1 : 1);
    else if (event.key === 'F3') move(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search class="find" aria-label={t('Find in Thread')} data-testid="find" onKeyDown={onKeyDown}>
      <input
        ref={field}
        class="input"
        data-testid="find-input"
        aria-label={t('Find')}
        placeholder={t('Find')}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          index.value = 0;
        }}
      />
      <span class="find-count" role="status" data-testid="find-count">
        {found.value.text === text.value && countOf(found.value, index.value)}
      </span>
      <IconButton
        testid="find-previous"
        icon="arrow-up"
        label={t('Previous Match (Shift+Enter)')}
        onClick={() => move(-1)}
      />
      <IconButton testid="find-next" icon="arrow-down" label={t('Next Match (Enter)')} onClick={() => move(1)} />
      <IconButton testid="find-close" icon="close" label={t('Close (Escape)')} onClick={close} />
      {hiddenTurns.value > 0 && (
        <p class="find-note">
          {plural(hiddenTurns.value, '{0} earlier turn is not searched.', '{0} earlier turns are not searched.')}
        </p>
      )}
    </search>
  );
}

function countOf({ text, ranges, isPartial }: Found, index: number): string {
  if (text === '') return '';
  if (ranges.length === 0) return isPartial ? '…' : t('No results');
  const mayBeMore = isPartial || ranges.length === MOST_FOUND;
  return mayBeMore ? t('{0} of {1}+', index + 1, ranges.length) : t('{0} of {1}', index + 1, ranges.length);
}

function beginsAt(range: Range, other: Range): boolean {
  return range.startContainer === other.startContainer && range.startOffset === other.startOffset;
}

/** Highlights the selected match, without changing the page's elements. */
function markCurrent(current: Range | undefined): void {
  if (current === undefined) CSS.highlights.delete(CURRENT);
  else CSS.highlights.set(CURRENT, new Highlight(current));
}

function clearMarks(): void {
  CSS.highlights.delete(ALL);
  CSS.highlights.delete(CURRENT);
}
