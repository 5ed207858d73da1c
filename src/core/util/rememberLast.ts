/**
 * Returns `compute` with a memory for its last results: for a pure function that is asked for the same text several times in
 * a row. `most`: the number of results that are kept. Results are shared: callers do not change them.
 */
export function rememberLast<Result>(compute: (text: string) => Result, most: number): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = compute(text);
    results.set(text, result);
    if (results.size > most) {
      const [oldest = ''] = results.keys();
      results.delete(oldest);
    }
    return result;
  };
}
