/**
 * Source text that regular expressions can search: only code, with comments and the contents of literals replaced by
 * blanks.
 */
export interface ScannedSource {
  /**
   * The code, with the length and the line breaks of the source. Every character that is not code is a space; quotes
   * are kept.
   */
  readonly code: string;
  /** The literals without substitutions, by the offset of their opening quote. */
  readonly strings: ReadonlyMap<number, string>;
}

export interface ImportReference {
  /** The imported module; `null` if it is computed at run time. */
  readonly specifier: string | null;
  readonly line: number;
}

/** Matches code after which a slash starts a regular expression; after other code it divides. */
const BEFORE_REGEX = /(?:^|[([{,;:=!&|?+\-*%~^<>}]|\b(?:return|typeof|case|in|of|do|else|void|yield|await|throw))$/;

/** Scans a source text. This is not a full lexer, but sufficient for TypeScript and TSX that compiles. */
export function scanSource(text: string): ScannedSource {
  const strings = new Map<number, string>();
  const code = text.split('');
  /** The number of open braces since each `${`, innermost last. */
  const substitutions: number[] = [];
  let at = 0;

  const blank = (from: number, to: number): void => {
    for (let i = from; i < to; i++) if (code[i] !== '\n') code[i] = ' ';
  };
  /** Replaces the content of a literal from `from` to its end by blanks. Returns the offset after the closing quote. */
  const literal = (open: number, from: number, isEnd: (i: number) => boolean): number => {
    let i = from;
    while (i < text.length && !isEnd(i)) i += text[i] === '\\' ? 2 : 1;
    const end = Math.min(i, text.length);
    blank(from, end);
    if (open >= 0) strings.set(open, text.slice(open + 1, end));
    return end;
  };
  const template = (open: number, from: number): number => {
    const end = literal(-1, from, (i) => text[i] === '`' || text.startsWith('${', i));
    if (text[end] !== '$') {
      if (open >= 0) strings.set(open, text.slice(open + 1, end));
      return end + 1;
    }
    substitutions.push(0);
    return end + 2;
  };

  while (at < text.length) {
    const char = text[at];
    const depth = substitutions.length - 1;
    if (text.startsWith('//', at)) {
      const end = text.indexOf('\n', at);
      blank(at, end < 0 ? text.length : end);
      at = end < 0 ? text.length : end;
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      blank(at, end < 0 ? text.length : end + 2);
      at = end < 0 ? text.length : end + 2;
    } else if (char === "'" || char === '"') {
      // A quote that is not closed on its line is an apostrophe in JSX text.
      const line = text.slice(at).match(char === "'" ? /^'(?:[^'\\\n]|\\[^])*'/ : /^"(?:[^"\\\n]|\\[^])*"/);
      at = line ? literal(at, at + 1, (i) => text[i] === char) + 1 : at + 1;
    } else if (char === '`') {
      at = template(at, at + 1);
    } else if (
      char === '/' &&
      BEFORE_REGEX.test(
        code
          .slice(Math.max(0, at - 200), at)
          .join('')
          .trimEnd(),
      )
    ) {
      const regex = /^\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//.exec(text.slice(at, at + 2000));
      if (regex) blank(at + 1, at + regex[0].length - 1);
      at += regex ? regex[0].length : 1;
    } else if (char === '{' && depth >= 0) {
      substitutions[depth] = (substitutions[depth] ?? 0) + 1;
      at += 1;
    } else if (char === '}' && depth >= 0 && substitutions[depth] === 0) {
      substitutions.pop();
      at = template(-1, at + 1);
    } else {
      if (char === '}' && depth >= 0) substitutions[depth] = (substitutions[depth] ?? 0) - 1;
      at += 1;
    }
  }
  return { code: code.join(''), strings };
}

/** Returns every `import`, `export … from`, `import()` and `require()`, including those of types. */
export function importsOf({ code, strings }: ScannedSource): ImportReference[] {
  const found: ImportReference[] = [];
  const forms = [
    /(?<![.\w$])from\s*(?=['"])/g,
    /(?<![.\w$])import\s*(?=['"])/g,
    /(?<![.\w$])(?:import|require)\s*\(\s*/g,
  ];
  for (const form of forms) {
    for (const match of code.matchAll(form)) {
      const quote = match.index + match[0].length;
      found.push({ specifier: strings.get(quote) ?? null, line: lineAt(code, match.index) });
    }
  }
  return found.sort((a, b) => a.line - b.line);
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
