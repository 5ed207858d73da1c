/**
 * Computes the output of `echo`, `printf` and similar programs when all their words are known. Returns all possible
 * readings, because it is used to find danger.
 */
import { programName } from './programs.ts';

/** Maximum words before the printing program, as in `env LC_ALL=C printf …`. */
const MAX_WORDS_BEFORE = 8;
/** `printf` repeats its format until all arguments are used. */
const MAX_REPEATS = 1_000;

const PRINTERS: ReadonlyMap<string, (words: readonly string[]) => readonly string[]> = new Map([
  ['echo', (words: readonly string[]) => bothReadings(withoutOptions(words, /^-[neE]+$/).join(' '))],
  [
    'print',
    (words: readonly string[]) =>
      [' ', '\n'].flatMap((between) => bothReadings(withoutOptions(words, /^-[A-Za-z]+$/).join(between))),
  ],
  ['yes', (words: readonly string[]) => [words.join(' ')]],
  ['printf', printfText],
]);

/** Empty for a command that is not known to print its words. */
export function printedTexts(argv: readonly string[]): readonly string[] {
  const at = argv.slice(0, MAX_WORDS_BEFORE).findIndex((word) => PRINTERS.has(programName(word)));
  const [program = '', ...words] = argv.slice(Math.max(at, 0));
  return PRINTERS.get(programName(program))?.(words) ?? [];
}

function withoutOptions(words: readonly string[], option: RegExp): readonly string[] {
  const first = words.findIndex((word) => !option.test(word));
  return first === -1 ? [] : words.slice(first);
}

/** Both readings, because shells differ in whether `echo` decodes escapes. */
function bothReadings(text: string): readonly string[] {
  const decoded = withEscapes(text);
  return decoded === text ? [text] : [text, decoded];
}

const CONVERSION = /%%|%[-+ #0']*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?(?:\([^)]*\))?([A-Za-z])/g;

function printfText([first = '', ...others]: readonly string[]): readonly string[] {
  const [format = '', ...values] = first === '--' ? others : [first, ...others];
  const pieces: string[] = [];
  const left = [...values];
  for (let repeats = 0; repeats < MAX_REPEATS; repeats++) {
    const before = left.length;
    const piece = format.replaceAll(CONVERSION, (conversion, letter: string | undefined) => {
      if (conversion === '%%') return '%';
      const value = left.shift() ?? '';
      if (letter === 'c') return value.slice(0, 1);
      return letter === 'b' ? withEscapes(value) : value;
    });
    pieces.push(piece);
    if (left.length === 0 || left.length === before) break;
  }
  return bothReadings(pieces.join(''));
}

const ESCAPE =
  /\\(?:(0[0-7]{1,3}|[0-7]{1,3})|x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([abefnrtv\\"']))/g;
const LETTERS: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function withEscapes(text: string): string {
  return text.replaceAll(ESCAPE, (escape, octal?: string, x?: string, u?: string, long?: string, letter?: string) => {
    if (letter !== undefined) return LETTERS[letter] ?? letter;
    const hex = x ?? u ?? long;
    const code = hex === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : escape;
  });
}
