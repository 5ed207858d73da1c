/** Places of the code as the model gets them: `path:line  text`. */
import { shortened } from '../../../protocol/text/truncate.ts';
import type { CodePosition } from '../../ports.ts';
import { withinBudget } from '../files/lines.ts';
import type { CodeTexts } from './codeText.ts';

/** Lines of one output, and characters of one line. */
const [MAX_PLACES, MAX_LINE] = [200, 160];

export interface ListedPlace extends Pick<CodePosition, 'path' | 'line'> {
  /** Stands between the place and its text. */
  readonly label?: string;
}

/**
 * Returns one line for each place; of several places in one line the first. The files are in the order of their first
 * place. `nameOf` gives a path as the model knows it. Lines of files that may not be read are left out.
 */
export async function placesText(
  places: readonly ListedPlace[],
  texts: CodeTexts,
  nameOf: (path: string) => string,
): Promise<{ readonly text: string; readonly count: number }> {
  const sorted = inFiles(places);
  const first = sorted.slice(0, MAX_PLACES);
  const found = await texts.read(first.map(({ path }) => path));
  const rows: string[] = [];
  let [hidden, stale] = [0, 0];
  for (const { path, line, label } of first) {
    const text = found.get(path);
    const name = `${nameOf(path)}:${line}${label === undefined ? '' : `  ${label}`}`;
    if (text === 'hidden') hidden++;
    else if (text === undefined || text === 'missing') rows.push(name);
    else if (line > text.length) stale++;
    else rows.push(`${name}  ${shortened((text[line - 1] ?? '').trim(), MAX_LINE)}`);
  }
  const { text, count } = withinBudget(rows);
  const more = sorted.length - first.length + rows.length - count;
  const notes = [
    ...(more > 0
      ? [`… and ${more} more, in ${counted(new Set(sorted.map(({ path }) => path)).size, 'file')} in all.`]
      : []),
    ...(hidden > 0 ? [`${counted(hidden, 'place')} in files that may not be read left out.`] : []),
    ...(stale > 0
      ? [
          `${counted(stale, 'place')} left out: behind the end of the file, so the editor's index is older than the text.`,
        ]
      : []),
  ];
  return { text: [text, ...notes].filter((part) => part !== '').join('\n'), count: sorted.length };
}

/** `1 place`, `2 places`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function inFiles(places: readonly ListedPlace[]): readonly ListedPlace[] {
  const files = new Map<string, Map<number, ListedPlace>>();
  for (const place of places) {
    const lines = files.get(place.path) ?? new Map<number, ListedPlace>();
    files.set(place.path, lines);
    if (!lines.has(place.line)) lines.set(place.line, place);
  }
  return [...files.values()].flatMap((lines) => [...lines.values()].toSorted((one, other) => one.line - other.line));
}
