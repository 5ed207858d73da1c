/** A matching text, cut to one line around the match. */
export interface FoundText {
  readonly text: string;
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

/** The most characters shown before the match. */
const BEFORE = 24;
const AFTER = 200;

/** Returns the texts that contain the query, ignoring case, in their order; all texts for an empty query. */
export function searchTexts(texts: readonly string[], query: string, limit: number): readonly FoundText[] {
  const phrase = query.trim();
  const wanted = new RegExp(phrase.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), 'iu');
  const found: FoundText[] = [];
  for (const text of texts) {
    if (found.length === limit) break;
    const hit = wanted.exec(text);
    if (hit !== null) found.push({ text, ...excerpt(text, hit.index, hit.index + hit[0].length) });
  }
  return found;
}

function excerpt(text: string, start: number, end: number): Omit<FoundText, 'text'> {
  const before = inOneLine(text.slice(0, start)).trimStart();
  return {
    before: before.length > BEFORE ? `…${before.slice(-BEFORE)}` : before,
    match: inOneLine(text.slice(start, end)),
    after: inOneLine(text.slice(end, end + AFTER)),
  };
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
