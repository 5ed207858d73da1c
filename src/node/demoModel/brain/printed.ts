/** Shortens values printed by a test runner for use in a sentence. */

const LONGEST = 120;

/** Returns the text on one line, without list numbers, truncated. */
export function inOneLine(printed: string): string {
  const isYaml = /^\s*(?:\d+|'[^']*'|[\w$-]+):(?:\s|$)/.test(printed);
  const lines = printed.split('\n').map((line) => line.trim());
  const line = isYaml
    ? lines
        .map((each) => each.replace(/^\d+:\s*/, ''))
        .filter((each) => each !== '')
        .join(', ')
    : lines.join(' ');
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}…`;
}
