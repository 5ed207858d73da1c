/** Names of symbols as models write them, and their columns in a text. Pure. */

export interface SymbolName {
  /** The name as in the source. */
  readonly name: string;
  /** The name of the enclosing symbol; empty where none was given. */
  readonly container: string;
}

/** Takes `name`, `name()`, `Class.name`, `module::name`, `Class#name`. */
export function symbolName(written: string): SymbolName {
  const bare = written
    .trim()
    .replace(/^`(.*)`$/, '$1')
    .replace(/\(.*\)$/, '');
  const parts = bare.split(/\.|::|#|->/).filter((part) => part !== '');
  return { name: parts.at(-1) ?? bare, container: parts.at(-2) ?? '' };
}

/** Returns the columns (from 0) of the name in the line as a whole word. */
export function columnsOf(line: string, name: string): readonly number[] {
  const columns: number[] = [];
  if (name === '') return columns;
  for (let at = line.indexOf(name); at !== -1; at = line.indexOf(name, at + name.length)) {
    if (!isWordPart(line[at - 1]) && !isWordPart(line[at + name.length])) columns.push(at);
  }
  return columns;
}

/** The lines (from 1) that have the name. */
export function linesWith(lines: readonly string[], name: string): readonly number[] {
  return lines.flatMap((line, index) => (columnsOf(line, name).length > 0 ? [index + 1] : []));
}

function isWordPart(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_$]/u.test(character);
}

/** Language extensions write `name()` and `name(int)` for functions in a list of symbols. */
export function isNamed(listed: string, name: string): boolean {
  return listed === name || listed.replace(/\s*\(.*\)$/, '') === name;
}
