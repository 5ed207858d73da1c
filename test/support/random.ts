/** Random choices that can be repeated with a seed. They are for generated cases; property tests use fast-check. */

export interface Random {
  /** An integer in [0, limit). */
  below(limit: number): number;
  /** Returns true in one of `of` calls on average. */
  once(of: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
}

/** Uses mulberry32, which is small, sufficiently uniform, and the same on all machines. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    once: (of) => below(of) === 0,
    pick: (values) => values[below(values.length)] as (typeof values)[number],
  };
}

/** Returns random choices for a test: other ones in each run, unless the seed is given. */
export function randomOf(test: string): Random {
  let hash = Number(process.env['TILLER_SEED'] ?? 0);
  for (const letter of test) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0;
  return seededRandom(hash);
}
