// The seed of all random choices in a run of the tests: `TILLER_SEED`, or a new one, which is printed.

/** Returns it as an environment variable for the tests. @returns {{ TILLER_SEED: string }} */
export function seedOfThisRun() {
  const given = process.env.TILLER_SEED;
  const seed = given ?? String(Math.floor(Math.random() * 2 ** 31));
  process.env.TILLER_SEED = seed;
  if (given === undefined) console.log(`Random choices come from seed ${seed}; TILLER_SEED=${seed} repeats them.`);
  return { TILLER_SEED: seed };
}
