// Limits the number of parallel processes: the reference needs one process per case.
import os from 'node:os';

/** Calls `work` for 0 … count - 1. Resolves with the results in order. */
export async function inParallel(count, work) {
  const results = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next++;
      results[index] = await work(index);
    }
  };
  await Promise.all(Array.from({ length: os.availableParallelism() }, worker));
  return results;
}
