/**
 * Unusual patches, generated from a seed: well-formed edits of small files with unusual blanks, quotes and line
 * endings, then damaged in places. Shared by the recorder of goldens, the live oracle and the tests.
 */
import { posix } from 'node:path';
import { MOVE_TO } from '../../src/core/patch/markers.ts';
import { trim, trimEnd } from '../../src/core/patch/whitespace.ts';
import { type Random, seededRandom } from './random.ts';

/** Files by relative path: a text, `null` for an empty folder, or `false` for a file that is not UTF-8. */
export type SampleTree = Readonly<Record<string, string | null | false>>;

export interface PatchCase {
  readonly files: SampleTree;
  readonly patch: string;
}

const PLAIN_LINES = [
  'alpha',
  'beta',
  'gamma',
  'delta',
  '',
  '}',
  'return x;',
  'if (a - b) {',
  'say "hi"',
  "it's",
  'a\tb',
];
const ODD_LINES = [
  '\u00e9t\u00e9 \u2014 ici',
  '\u201cquoted\u201d',
  'it\u2019s',
  'a\u2212b',
  'a\u00a0b',
  '\u3000wide',
  'nel\u0085',
  '\ufeffbom',
  '\u{1f600} smile',
  '\u2028sep',
  'x\u1680y',
  'z\u2000z',
  'end\u200b',
  '@@ at',
  '*** Add File: no',
  '+plus',
  '-minus',
  ' lead',
]; // prettier-ignore
const PATHS = ['a.txt', 'b.txt', 'dir/c.txt', 'dir/deep/d.txt', 'e f.txt', '\u00fc.md'];
const NEW_PATHS = ['new.txt', 'made/new.txt', 'dir/new.txt', 'a.txt', 'dir', 'b.txt/under', './x/../y.txt', 'made'];
const LINE_ENDINGS = ['\n', '\n', '\n', '\r\n', '\r\n', '\r'];

export function generateCase(seed: number): PatchCase {
  const random = seededRandom(seed);
  const files: Record<string, string | null | false> = {};
  for (const path of PATHS) {
    if (!random.once(4)) files[path] = random.once(40) ? false : generateText(random);
  }
  if (random.once(12)) files.empty = null;
  files['a.txt'] ??= generateText(random);

  const operations: string[] = [];
  for (let count = 1 + random.below(3); count > 0; count--) operations.push(...generateOperation(random, files));
  const body = random.once(50) ? [] : operations;
  const wrapped = wrap(random, ['*** Begin Patch', ...environment(random), ...body, '*** End Patch']);
  const lines = random.once(5) ? bend(random, wrapped) : wrapped;
  return { files, patch: lines.join(random.once(10) ? '\r\n' : '\n') + (random.once(3) ? '' : '\n') };
}

function environment(random: Random): string[] {
  return random.once(40)
    ? [random.pick(['*** Environment ID: here', '  *** Environment ID:x', '*** Environment ID: '])]
    : [];
}

function generateLine(random: Random): string {
  const line = random.pick(random.once(4) ? ODD_LINES : PLAIN_LINES);
  const indented = random.once(3) ? '  ' + line : line;
  return random.once(8) ? indented + ' ' : indented;
}

function generateText(random: Random): string {
  const ending = random.pick(LINE_ENDINGS);
  const mixed = random.once(5);
  const unique = random.once(2);
  const lines = Array.from({ length: random.below(14) }, (_, index) => {
    const text = unique ? `${generateLine(random)}${index}` : generateLine(random);
    return text + (mixed ? random.pick(LINE_ENDINGS) : ending);
  });
  const text = lines.join('');
  return random.once(5) ? text.replace(/(\r\n|\n|\r)$/, '') : text;
}

function generateOperation(random: Random, files: SampleTree): string[] {
  const known = random.pick(random.once(25) ? [...PATHS, ...NEW_PATHS] : Object.keys(files));
  const written = random.once(25) ? `./${known}` : known;
  switch (random.below(8)) {
    case 0:
      return [`*** Delete File: ${written}`];
    case 1: {
      const path = random.pick(random.once(3) ? PATHS : NEW_PATHS);
      return [`*** Add File: ${path}`, ...Array.from({ length: random.below(4) }, () => `+${generateLine(random)}`)];
    }
    default: {
      const move = random.once(6) ? [`*** Move to: ${random.pick(random.once(3) ? PATHS : NEW_PATHS)}`] : [];
      return [`*** Update File: ${written}`, ...move, ...generateChunks(random, files[known])];
    }
  }
}

function generateChunks(random: Random, content: string | null | false | undefined): string[] {
  const lines = (typeof content === 'string' ? content : 'alpha\nbeta\n').split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  const chunks: string[] = [];
  let from = 0;
  for (let count = 1 + random.below(3); count > 0; count--) {
    const start = random.once(8)
      ? random.below(lines.length + 1)
      : from + random.below(Math.max(1, (lines.length - from) / 2));
    const end = Math.min(lines.length, start + random.below(4));
    chunks.push(...generateMarkers(random, chunks.length === 0, lines, from, start));
    const edit = generateEdit(random, lines.slice(start, end));
    chunks.push(...(random.once(12) ? indentOtherwise(random, edit) : edit));
    if (random.once(end === lines.length ? 3 : 60)) chunks.push('*** End of File');
    if (random.once(12)) chunks.push('');
    from = end;
  }
  return chunks;
}

function generateMarkers(
  random: Random,
  first: boolean,
  lines: readonly string[],
  from: number,
  start: number,
): string[] {
  if (first && random.once(3)) return [];
  if (random.once(2) || (start <= from && !random.once(6))) return ['@@'];
  const places = [1, 2].map(() => from + random.below(Math.max(1, start - from))).toSorted((one, other) => one - other);
  if (random.once(6)) places.unshift(random.below(from + 1));
  const contexts = places.map((place) => `@@ ${fuzz(random, lines[place] ?? 'alpha')}`);
  return random.once(4) ? contexts : contexts.slice(1);
}

function generateEdit(random: Random, old: readonly string[]): string[] {
  const edit = old.flatMap((line) => {
    const quoted = fuzz(random, line);
    const added = random.once(3) ? [`+${generateLine(random)}`] : [];
    if (quoted === '' && random.once(2)) return ['', ...added];
    return [(random.once(2) ? '-' : ' ') + quoted, ...added];
  });
  return edit.length === 0 || random.once(8) ? [...edit, `+${generateLine(random)}`] : edit;
}

/** Returns the lines of a chunk with another indentation, as a model may write them. */
function indentOtherwise(random: Random, edit: readonly string[]): string[] {
  const indentation = random.pick(['  ', '    ', '\t']);
  const deeper = random.once(2);
  return edit.map((line) => {
    const text = line.slice(1);
    if (deeper) return line.slice(0, 1) + indentation + text;
    return text.startsWith(indentation) ? line.slice(0, 1) + text.slice(indentation.length) : line;
  });
}

/** Returns a line as a model may quote it: with a small difference. */
function fuzz(random: Random, line: string): string {
  switch (random.below(24)) {
    case 0:
      return line + '  ';
    case 1:
      return ' ' + line;
    case 2:
      return line.trim();
    case 3:
      return line
        .replaceAll(/[\u2014\u2212]/g, '-')
        .replaceAll(/[\u201c\u201d]/g, '"')
        .replaceAll(/[\u2019]/g, "'");
    case 4:
      return line.replaceAll('-', '\u2013').replaceAll("'", '\u2018').replaceAll(' ', '\u00a0');
    case 5:
      return random.once(8) ? `${line}?` : line;
    default:
      return line;
  }
}

function wrap(random: Random, lines: readonly string[]): string[] {
  switch (random.below(30)) {
    case 0:
      return [random.pick(['<<EOF', "<<'EOF'", '<<"EOF"']), ...lines, random.pick(['EOF', 'xEOF'])];
    case 1:
      return [
        random.pick(["<<'PATCH'", '<<"EOF\'', '```', 'Here it is:']),
        ...lines,
        random.pick(['EOF', 'PATCH', '```']),
      ];
    case 2:
      return ['', '  ', ...lines, '', ' '];
    default:
      return [...lines];
  }
}

const STRAY_LINES = [
  '',
  ' ',
  '\t',
  '@@',
  '@@ ',
  '@@ alpha',
  '@@x',
  '*** End of File',
  '*** End of File ',
  ' *** End of File',
  '*** Foo',
  '*x',
  'stray',
  '\tstray',
  '+',
  '-',
  ' ',
  '*** End Patch',
  ' *** End Patch',
  '*** Begin Patch',
  '*** Move to: moved.txt',
  ' *** Move to: moved.txt',
  '*** Move to: ',
  '*** Add File: stray.txt',
  '  *** Add File: stray.txt  ',
  '*** add file: x',
  '*** Delete File: b.txt',
  '\t*** Update File: a.txt',
  '*** Update File: ',
  '*** Environment ID: x',
  '@@ -1,2 +1,2 @@',
  '+\r',
  '-alpha',
  '+alpha\r\r',
  '\u00a0',
]; // prettier-ignore

/** Inserts, removes, doubles, swaps or indents one to three lines. */
function bend(random: Random, lines: readonly string[]): string[] {
  const bent = [...lines];
  for (let count = 1 + random.below(3); count > 0; count--) {
    const at = random.below(bent.length + 1);
    const line = bent[at] ?? '';
    switch (random.below(7)) {
      case 0:
        bent.splice(at, 1);
        break;
      case 1:
        bent.splice(at, 0, line);
        break;
      case 2:
        bent[at] = `  ${line}  `;
        break;
      case 3:
        bent[at] = line.slice(1);
        break;
      case 4:
        bent[at] = `${line} `;
        break;
      default:
        bent.splice(at, 0, random.pick(STRAY_LINES));
    }
  }
  return bent;
}

/**
 * Rewrites a patch so that the reference understands it as Tiller does (design.md decision 4). A move onto the same
 * path is left out (b). Line numbers above a chunk that quotes lines become a plain `@@`; all stacked `@@` lines except
 * the last become chunks of one context line, which are searched in the same way (d).
 */
export function inReferenceWords(patch: string): string {
  const lines = withoutLineNumbers(patch.split('\n'));
  const rewritten: string[] = [];
  let insideUpdate = false;
  let updated: string | undefined;
  for (const [index, line] of lines.entries()) {
    const marker = trimEnd(line);
    const next = trimEnd(lines[index + 1] ?? '');
    const move = marker.startsWith(MOVE_TO) && !next.startsWith(MOVE_TO) ? marker.slice(MOVE_TO.length) : undefined;
    if (updated !== undefined && move !== undefined && samePath(move, updated)) continue;
    // An indented header is a context line within an update, and a header everywhere else.
    const header = /^\*\*\* (Add|Delete|Update) File: (.+)$/.exec(insideUpdate ? marker : trim(line));
    if (header !== null) insideUpdate = header[1] === 'Update';
    updated = header !== null && insideUpdate ? header[2] : undefined;
    if (isMarker(marker) && isMarker(next)) {
      if (marker !== '@@') rewritten.push('@@', ` ${marker.slice(3)}`);
      continue;
    }
    rewritten.push(line);
  }
  return rewritten.join('\n');
}

function withoutLineNumbers(lines: readonly string[]): string[] {
  return lines.map((line, index) => {
    if (!/^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/.test(line)) return line;
    const below = lines.slice(index + 1);
    const first = below.findIndex((next) => !isMarker(trimEnd(next)));
    const chunk = first === -1 ? [] : below.slice(first);
    const end = chunk.findIndex((next) => isMarker(trimEnd(next)) || next.startsWith('***'));
    const quotes = chunk
      .slice(0, end === -1 ? undefined : end)
      .some((next) => /^[ -]/.test(next) && trim(next.slice(1)) !== '');
    return quotes ? '@@' : line;
  });
}

function isMarker(line: string): boolean {
  return line === '@@' || line.startsWith('@@ ');
}

function samePath(one: string, other: string): boolean {
  return posix.resolve('/', one) === posix.resolve('/', other);
}
