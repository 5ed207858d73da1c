/** A stretch of text in one ink. `ink` is class names, empty for the ink of its surroundings. */
export interface Run {
  readonly text: string;
  readonly ink: string;
}

/** Appends, joining what has the same ink. */
export function appendRun(runs: Run[], text: string, ink: string): void {
  if (text === '') return;
  const last = runs.at(-1);
  if (last?.ink === ink) runs[runs.length - 1] = { text: last.text + text, ink };
  else runs.push({ text, ink });
}
