/**
 * Returns a function that makes a value at its first call and returns the same one from then on. When `make` rejects, so
 * do the calls that wait for it, and the next call makes it again.
 */
export function onFirstUse<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
