/**
 * A queue of parts to draw, one in each of the next frames, so that drawing a long text or thread does not block the
 * page.
 */
import { computed, signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

type Part = () => void;

const parts: Part[] = [];
let isScheduled = false;

/** Counts the parts that were drawn. */
export const partsDrawn = signal(0);
/** The number of texts and threads that are drawn in part. */
const unfinished = signal(0);
/** True while a text or a thread is drawn only in part. */
export const isDrawing = computed(() => unfinished.value > 0);

/** Adds one text or thread to those that `isDrawing` reports, for as long as `isPartial` is true. */
export function usePartial(isPartial: boolean): void {
  useLayoutEffect(() => {
    if (!isPartial) return undefined;
    unfinished.value++;
    return () => {
      unfinished.value--;
    };
  }, [isPartial]);
}

/**
 * Calls `draw` in one of the next frames, after the parts that are already queued. The returned function cancels the
 * call.
 */
export function drawLater(draw: Part): () => void {
  parts.push(draw);
  schedule();
  return () => {
    const index = parts.indexOf(draw);
    if (index !== -1) parts.splice(index, 1);
  };
}

function schedule(): void {
  if (isScheduled || parts.length === 0) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    parts.shift()?.();
    partsDrawn.value++;
    schedule();
  });
}
