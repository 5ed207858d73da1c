/** The style of a run. */
export interface Look {
  /** Class names; empty for the inherited colour. */
  readonly ink: string;
  /** Colours that are not in the style sheet. */
  readonly paint?: Paint;
}

/** Colours in the form `#rrggbb`. */
export interface Paint {
  readonly ink: string;
  readonly ground?: string;
}

/** A piece of text in one style. */
export interface Run extends Look {
  readonly text: string;
}

/** Appends a run, joining runs of the same style. */
export function appendRun(runs: Run[], text: string, look: Look): void {
  if (text === '') return;
  const last = runs.at(-1);
  if (last !== undefined && isSame(last, look)) runs[runs.length - 1] = { ...last, text: last.text + text };
  else runs.push({ text, ...look });
}

function isSame(one: Look, other: Look): boolean {
  return one.ink === other.ink && one.paint?.ink === other.paint?.ink && one.paint?.ground === other.paint?.ground;
}
