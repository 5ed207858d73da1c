/** A queue of what is drawn in later frames, one part in each, so that long texts and threads make no long task. */

type Part = () => void;

const parts: Part[] = [];
let isScheduled = false;

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
    schedule();
  });
}
