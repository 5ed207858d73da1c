/** How a stretch of text looks. */
export interface Look {
  /** Class names, empty for the ink of its surroundings. */
  readonly ink: string;
  /** Colours that no style sheet can know. */
  readonly paint?: Paint;
}

/** As `#rrggbb`. */
export interface Paint {
  readonly ink: string;
  readonly ground?: string;
}

/** A stretch of text in one look. */
export interface Run extends Look {
  readonly text: string;
}

/** Appends, joining what looks the same. */
export function appendRun(runs: Run[], text: string, look: Look): void {
  if (text === '') return;
  const last = runs.at(-1);
  if (last !== undefined && isSame(last, look)) runs[runs.length - 1] = { ...last, text: last.text + text };
  else runs.push({ text, ...look });
}

function isSame(one: Look, other: Look): boolean {
  return one.ink === other.ink && one.paint?.ink === other.paint?.ink && one.paint?.ground === other.paint?.ground;
}
