/** A queue of parts that are drawn in later frames, one in each, so that long texts and threads make no long task. */
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

/** Counts for `isDrawing` while `isPartial`. */
export function usePartial(isPartial: boolean): void {
  useLayoutEffect(() => {
    if (!isPartial) return undefined;
    unfinished.value++;
    return () => {
      unfinished.value--;
    };
  }, [isPartial]);
}

/** Calls `draw` in one of the next frames, after the parts before it. The returned function cancels it. */
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
