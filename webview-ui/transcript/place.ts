/** Keeps track of which part of the transcript is in view: its end, or the line to which the user has scrolled. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Place } from '../bridge.ts';
import { savedState, saveState } from '../bridge.ts';
import { isDrawing } from '../components/drawLater.ts';
import { draft, threadId } from '../store.ts';
import { finding, followsEnd } from '../view.ts';

/** Distance in pixels within which the end counts as visible. */
const END_MARGIN = 24;
/** Number of frames after the last part was drawn in which elements that came into view may still change their size. */
const SETTLING_FRAMES = 3;
/** Events by which the user scrolls. After one of them, a place is no longer restored. */
const INPUTS = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;
/** Elements whose descendants are not used as places: a line of code has many elements. */
const LEAF = 'p, li, pre, table, h4';

type Ref<Element> = { readonly current: Element | null };

/** Scrolls to the end of the transcript, and follows it from now on. */
export function toEnd(frame: HTMLElement): void {
  followsEnd.value = true;
  frame.scrollTop = frame.scrollHeight;
}

/** The size of the frame at its last layout. */
let seenSize = '';

function sizeOf({ clientWidth, clientHeight }: HTMLElement): string {
  return `${clientWidth} ${clientHeight}`;
}

/**
 * The saved place that is being restored. The turns above it may not be drawn yet, or may have another size than when
 * it was saved.
 */
let restoring: Place | null = null;

/** Updates whether the transcript follows its end. Call at each scroll event. */
export function onScroll(frame: HTMLElement): void {
  // Resizing the panel and restoring a place cause scroll events, too, which are not the user's.
  if (restoring !== null || (followsEnd.value && sizeOf(frame) !== seenSize)) return;
  followsEnd.value = frame.scrollHeight - frame.scrollTop - frame.clientHeight < END_MARGIN;
  rememberPlace(frame);
}

let placeTimer: ReturnType<typeof setTimeout> | undefined;

function rememberPlace(frame: HTMLElement): void {
  clearTimeout(placeTimer);
  placeTimer = setTimeout(() => {
    const place = followsEnd.value ? null : placeIn(frame);
    saveState({ ...savedState(), threadId: threadId.value, draft: draft.value, place });
  }, 200);
}

/** Returns the place that was saved for the thread; `null` for its end. */
export function savedPlace(id: string | null): Place | null {
  const saved = savedState();
  return saved?.threadId === id ? (saved.place ?? null) : null;
}

/** Returns the first of these elements that ends below the top of the frame. */
function firstInView(elements: Iterable<Element>, top: number): Element | undefined {
  for (const element of elements) if (element.getBoundingClientRect().bottom > top) return element;
  return undefined;
}

function placeIn(frame: HTMLElement): Place | null {
  const { top } = frame.getBoundingClientRect();
  const turn = firstInView(frame.querySelectorAll('.turn'), top);
  const turnId = turn?.getAttribute('aria-labelledby');
  if (turn === undefined || !turnId) return null;
  const path: number[] = [];
  let element = turn;
  while (!element.matches(LEAF)) {
    const child = firstInView(element.children, top);
    if (child === undefined) break;
    path.push([...element.children].indexOf(child));
    element = child;
  }
  return { turnId, path, offset: top - element.getBoundingClientRect().top };
}

/** Scrolls to the place, as far as it is drawn. */
function showPlace(frame: HTMLElement, { turnId, path, offset }: Place): void {
  let element = document.getElementById(turnId)?.closest('.turn') ?? null;
  if (element === null) {
    // The turn of the place is not loaded: show the start of the first loaded one.
    frame.scrollTop = 0;
    return;
  }
  for (const index of path) {
    const child: Element | undefined = element.children[index];
    if (child === undefined) break;
    element = child;
  }
  frame.scrollTop += element.getBoundingClientRect().top - frame.getBoundingClientRect().top + offset;
}

/**
 * Keeps the end, or the place that is being restored, visible while the text or the dock grows. It runs between layout
 * and paint, so that nothing jumps and no layout is computed twice.
 */
export function useFollowing(frame: Ref<HTMLElement>, content: Ref<HTMLElement>): void {
  useEffect(() => {
    const { current: element } = frame;
    if (element === null || content.current === null) return;
    const observer = new ResizeObserver(() => {
      seenSize = sizeOf(element);
      if (followsEnd.value) element.scrollTop = element.scrollHeight;
      else if (restoring !== null) showPlace(element, restoring);
    });
    observer.observe(element);
    observer.observe(content.current);
    const stop = () => (restoring = null);
    for (const type of INPUTS) element.addEventListener(type, stop, { passive: true });
    return () => {
      observer.disconnect();
      for (const type of INPUTS) element.removeEventListener(type, stop);
    };
  }, [frame, content]);
}

/** Restores a place in each frame until all parts are drawn, or the user scrolls elsewhere. */
function restore(frame: HTMLElement, place: Place): void {
  restoring = place;
  let frames = 0;
  const step = () => {
    if (restoring !== place) return;
    if (followsEnd.peek() || finding.peek() !== 0 || !frame.isConnected) restoring = null;
    else {
      showPlace(frame, place);
      frames = isDrawing.peek() ? 0 : frames + 1;
      if (frames < SETTLING_FRAMES) requestAnimationFrame(step);
      else restoring = null;
    }
  };
  step();
}

/**
 * Restores the place after a reload, and keeps the visible line where it is when turns above it are added or leave the
 * page.
 */
export function useKeptPlace(frame: Ref<HTMLElement>, firstId: string | null): void {
  const { value: id } = threadId;
  const lastSeen = useRef<{ firstId: string | null; threadId: string | null }>(null);
  const isSameThread = lastSeen.current?.threadId === id;
  const isKept = isSameThread && lastSeen.current?.firstId !== firstId && !followsEnd.peek() && restoring === null;
  // Only read if it is needed, because it makes the browser compute the layout. In some cases the browser itself keeps
  // the line.
  const before = isKept && frame.current !== null ? turnsInView(frame.current) : [];
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    if (!isSameThread) {
      const saved = savedPlace(id);
      restoring = null;
      followsEnd.value = saved === null;
      if (saved === null) element.scrollTop = element.scrollHeight;
      else restore(element, saved);
    } else {
      const line = before.find(({ turn }) => turn.isConnected);
      if (line !== undefined) element.scrollTop += line.turn.getBoundingClientRect().top - line.top;
    }
    lastSeen.current = { firstId, threadId: id };
  }, [frame, id, firstId]);
}

/** Returns the turns from the first one in view on, with their distances from the top of the window. */
function turnsInView(frame: HTMLElement): readonly { readonly turn: Element; readonly top: number }[] {
  const { top } = frame.getBoundingClientRect();
  return [...frame.querySelectorAll('.turn')]
    .map((turn) => ({ turn, rect: turn.getBoundingClientRect() }))
    .filter(({ rect }) => rect.bottom > top)
    .map(({ turn, rect }) => ({ turn, top: rect.top }));
}
