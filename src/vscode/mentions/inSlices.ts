/** Milliseconds of work before other events of the extension host get their turn. */
const SLICE_MS = 8;
/** The clock is read once for so many items. */
const STEP = 64;

/** Calls `work` for each item, and yields to the event loop between slices. Rejects with the signal's reason. */
export async function inSlices<Item>(
  items: readonly Item[],
  work: (item: Item) => void,
  signal?: AbortSignal,
): Promise<void> {
  let until = performance.now() + SLICE_MS;
  for (let start = 0; start < items.length; start += STEP) {
    for (const item of items.slice(start, start + STEP)) work(item);
    if (performance.now() < until) continue;
    await new Promise((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
    until = performance.now() + SLICE_MS;
  }
}
