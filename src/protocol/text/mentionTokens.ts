/** The places at which a message names its attachments: `@src/a.ts`. */

export interface MentionRange {
  /** Indices in the text; `end` is excluded, and the `@` included. */
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** The word at the caret that begins with `@`. */
export interface MentionQuery {
  /** The index of the `@`. */
  readonly start: number;
  /** The text between it and the caret. */
  readonly query: string;
}

/** Characters that may precede the `@` of a mention: those in an email address are not among them. */
const BEFORE = String.raw`(?:^|[\s([{"'\`,;])`;
const QUERY = new RegExp(`${BEFORE}@([^\\s@]*)$`);

/** Returns the mention that is being written at the caret; `undefined` if the caret is not in one. */
export function mentionQueryAt(text: string, caret: number): MentionQuery | undefined {
  const query = QUERY.exec(text.slice(0, caret))?.[1];
  return query === undefined ? undefined : { start: caret - query.length - 1, query };
}

/**
 * Returns the ranges of the text that contain one of these names after an `@`, in order and without overlaps; the
 * longest name matches. The text must end there like a name: `@a.ts` is not in `@a.tsx` or `@a.ts/b`, but in `See
 * @a.ts.`
 */
export function mentionRanges(text: string, names: readonly string[]): readonly MentionRange[] {
  const longestFirst = [...new Set(names)]
    .filter((name) => name !== '')
    .toSorted((one, other) => other.length - one.length);
  const ranges: MentionRange[] = [];
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    if (at > 0 && !/[\s([{"'`,;]/.test(text[at - 1] ?? '')) continue;
    const name = longestFirst.find(
      (candidate) => text.startsWith(candidate, at + 1) && endsAt(text, at + 1 + candidate.length),
    );
    if (name === undefined) continue;
    const end = at + 1 + name.length;
    ranges.push({ start: at, end, name });
    at = end - 1;
  }
  return ranges;
}

function endsAt(text: string, end: number): boolean {
  return !/^(?:[\p{L}\p{N}_/\\-]|[.:]+[\p{L}\p{N}_])/u.test(text.slice(end, end + 8));
}

/** Returns the first of the names that is not taken; if all are, the first one with a number. */
export function unusedName(names: readonly [string, ...string[]], taken: ReadonlySet<string>): string {
  const free = names.find((name) => !taken.has(name));
  if (free !== undefined) return free;
  for (let number = 2; ; number++) {
    const numbered = `${names[0]} ${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}
