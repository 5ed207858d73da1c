/** Parses JavaScript and TypeScript roughly: enough to find code, its declarations and the names that it uses. */

/** A top-level piece of a file: a function, a constant, a test. Lines count from 1, both ends included. */
export interface Block {
  readonly path: string;
  readonly firstLine: number;
  readonly lastLine: number;
  /** The declared name; `undefined` for a bare statement. */
  readonly name: string | undefined;
  readonly isAsync: boolean;
  /** Every identifier in it. */
  readonly words: ReadonlySet<string>;
  /** Its lines with strings and comments replaced by spaces, columns kept. */
  readonly code: readonly string[];
  /** Its original lines. */
  readonly lines: readonly string[];
}

const STRING_OR_COMMENT =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|\$\{[^`{}]*\}|[^`\\])*`/g;

/** Replaces strings and comments by spaces; every character keeps its place. */
export function codeOnly(text: string): string {
  return text.replace(STRING_OR_COMMENT, (match) => match.replace(/[^\n]/g, ' '));
}

/** The blocks of a file, which begin at lines without indentation. Comments belong to the block after them. */
export function blocksOf(path: string, text: string): Block[] {
  const lines = text.split('\n');
  const code = codeOnly(text).split('\n');
  const starts = code.flatMap((line, index) => (/^[\w@$]/.test(line) ? [index] : []));
  return starts.map((start, index) => {
    const end = lastCodeLine(code, start, starts[index + 1] ?? code.length);
    const own = code.slice(start, end + 1);
    return {
      path,
      firstLine: start + 1,
      lastLine: end + 1,
      ...declaration(own[0] ?? ''),
      words: new Set(own.join('\n').match(/[A-Za-z_$][\w$]*/g)),
      code: own,
      lines: lines.slice(start, end + 1),
    };
  });
}

function lastCodeLine(code: readonly string[], start: number, limit: number): number {
  let end = limit - 1;
  while (end > start && (code[end] ?? '').trim() === '') end -= 1;
  return end;
}

function declaration(line: string): { name: string | undefined; isAsync: boolean } {
  const name = /^(?:export )?(?:default )?(?:async )?(?:function\*?|const|let|var|class) +([\w$]+)/.exec(line)?.[1];
  return { name, isAsync: /\basync\b/.test(line) };
}

/** The files imported by relative paths, as paths relative to the same folder as `path`. */
export function relativeImports(path: string, text: string): string[] {
  const matches = text.matchAll(/(?:\bfrom|\bimport|\brequire\()\s*(['"])(\.[^'"\n]*)\1/g);
  return [...new Set([...matches].map(([, , target = '']) => joinPath(directoryOf(path), target)))];
}

function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function joinPath(directory: string, target: string): string {
  const parts: string[] = [];
  for (const part of `${directory}/${target}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && (part !== '' || parts.length === 0)) parts.push(part);
  }
  const joined = parts.join('/');
  return directory === '' ? joined.replace(/^\//, '') : joined;
}
