/** Returns a function to call often: it returns a wait when so many milliseconds have passed since the last one. */
export function pauseEvery(milliseconds: number, wait: () => Promise<unknown>): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < milliseconds) return undefined;
    return wait().then(() => {
      began = performance.now();
    });
  };
}
