/** Makes values that a test runner printed fit into a sentence. */

const LONGEST = 120;

/** On one line, list numbers left out, cut where it gets long. */
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
