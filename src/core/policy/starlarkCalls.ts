/**
 * Reads the subset of Starlark that rule files use: calls by name with strings, lists, booleans and None. Anything else
 * is an error with its line, because what is not understood must not be guessed.
 */

export type StarlarkValue = string | boolean | number | null | readonly StarlarkValue[];

export interface StarlarkCall {
  readonly name: string;
  readonly line: number;
  readonly positional: readonly StarlarkValue[];
  readonly named: ReadonlyMap<string, StarlarkValue>;
}

/** A rule file that cannot be read, with the line, from 1. */
export class StarlarkFault extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** `SKIP`: space, line ends and comments. The others: one token each. */
const SKIP = /(?:\s|#[^\n]*|\\\n)*/y;
const NAME = /[A-Za-z_]\w*/y;
const NUMBER = /\d+/y;
const STRING = /([rR]?)("""([\s\S]*?)"""|'''([\s\S]*?)'''|"((?:[^"\\\n]|\\[\s\S])*)"|'((?:[^'\\\n]|\\[\s\S])*)')/y;
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
};
const CONSTANTS: ReadonlyMap<string, StarlarkValue> = new Map([
  ['True', true],
  ['False', false],
  ['None', null],
]);

/** @throws StarlarkFault */
export function readStarlarkCalls(text: string): readonly StarlarkCall[] {
  const source = new Source(text);
  const calls: StarlarkCall[] = [];
  while (!source.atEnd()) {
    const line = source.line;
    const name = source.take(NAME) ?? source.fail('only calls such as prefix_rule(…) can be read');
    source.expect('(', `only calls can be read, and ${name} is none`);
    calls.push({ name, line, ...readArguments(source) });
  }
  return calls;
}

function readArguments(source: Source): Pick<StarlarkCall, 'positional' | 'named'> {
  const positional: StarlarkValue[] = [];
  const named = new Map<string, StarlarkValue>();
  while (!source.skip(')')) {
    const name = source.takeKeyword();
    const value = readValue(source);
    if (name === undefined) positional.push(value);
    else named.set(name, value);
    if (!source.skip(',')) {
      source.expect(')', 'a comma or a closing parenthesis is missing');
      break;
    }
  }
  return { positional, named };
}

/** Rules have lists in lists, and no deeper ones. */
const MAX_LEVELS = 32;

function readValue(source: Source, level = 0): StarlarkValue {
  const strings: string[] = [];
  for (let string = source.takeString(); string !== undefined; string = source.takeString()) strings.push(string);
  if (strings.length > 0) return strings.join(''); // adjacent strings are concatenated
  if (level > MAX_LEVELS) return source.fail('its lists are nested too deeply');
  if (source.skip('[')) return readList(source, level + 1);
  const number = source.take(NUMBER);
  if (number !== undefined) return Number(number);
  const constant = CONSTANTS.get(source.take(NAME) ?? '');
  return constant === undefined ? source.fail('only strings, lists, True, False and None can be read') : constant;
}

function readList(source: Source, level: number): readonly StarlarkValue[] {
  const values: StarlarkValue[] = [];
  while (!source.skip(']')) {
    values.push(readValue(source, level));
    if (!source.skip(',')) {
      source.expect(']', 'a comma or a closing bracket is missing');
      break;
    }
  }
  return values;
}

class Source {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get line(): number {
    this.#match(SKIP);
    return this.#text.slice(0, this.#at).split('\n').length;
  }

  atEnd(): boolean {
    this.#match(SKIP);
    return this.#at >= this.#text.length;
  }

  take(token: RegExp): string | undefined {
    this.#match(SKIP);
    return this.#match(token)?.[0];
  }

  takeString(): string | undefined {
    this.#match(SKIP);
    const found = this.#match(STRING);
    if (found === undefined) return undefined;
    const [, raw, , ...bodies] = found;
    const body = bodies.find((text) => text !== undefined) ?? '';
    return raw
      ? body
      : body.replaceAll(
          /\\([\s\S])/g,
          (_, letter: string) => ESCAPES[letter] ?? this.fail('an escape that cannot be read'),
        );
  }

  /** The name of a named argument, with its equals sign. */
  takeKeyword(): string | undefined {
    const before = this.#at;
    const name = this.take(NAME);
    if (name !== undefined && this.skip('=')) return name;
    this.#at = before;
    return undefined;
  }

  skip(character: string): boolean {
    this.#match(SKIP);
    const there = this.#text[this.#at] === character;
    if (there) this.#at++;
    return there;
  }

  expect(character: string, otherwise: string): void {
    if (!this.skip(character)) this.fail(otherwise);
  }

  fail(message: string): never {
    throw new StarlarkFault(this.line, message);
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found) this.#at = pattern.lastIndex;
    return found;
  }
}
