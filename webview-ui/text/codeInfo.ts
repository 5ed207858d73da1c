import { t } from '../l10n.ts';
import { languageName, languageOf } from './highlight.ts';

/** The information in the first line of a fenced code block. */
export interface CodeInfo {
  /** The language as a name, an alias or a file extension; may be unknown or empty. */
  readonly language: string;
  /** The title to show: the name of the language, or the file. */
  readonly title: string;
  /** The file to which the code belongs; `null` if none is named. */
  readonly file: string | null;
}

/** Parses the first line of a fence: `ts src/http/retry.ts`, `ts title="a.ts"`, `src/a.ts`, `ts`. */
export function readInfo(info: string): CodeInfo {
  const [first = '', second = ''] = info.split(/\s+/);
  const named = second.replace(/^(title|file|filename)=/, '').replace(/^["']|["']$/g, '');
  if (named !== '' && !named.startsWith('{')) return { language: first, title: named, file: named };
  if (/[./]/.test(first)) return { language: languageOf(first), title: first, file: first };
  return { language: first, title: languageName(first) ?? (first || t('text')), file: null };
}

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'shell', 'zsh', 'fish', 'console', 'powershell', 'pwsh']);

/**
 * Returns the commands of a code block for a terminal; `null` if its language is no shell. A block that begins with a
 * prompt is a recorded session: its prompts and output are left out, and lines that continue a command are kept. Every
 * other block is a script and is kept whole.
 */
export function commandsIn(language: string, code: string): string | null {
  if (!SHELLS.has(language.toLowerCase())) return null;
  const lines = code.split('\n');
  const isSession = PROMPT.test(lines.find((line) => line.trim() !== '') ?? '');
  return (isSession ? commandsOfSession(lines).join('\n') : code).trim() || null;
}

const PROMPT = /^[$%] /;

function commandsOfSession(lines: readonly string[]): readonly string[] {
  const commands: string[] = [];
  let isContinued = false;
  for (const line of lines) {
    const last = commands.at(-1);
    if (PROMPT.test(line)) {
      commands.push(line.slice(2));
      isContinued = false;
    } else if (last !== undefined && (isUnfinished(last) || (isContinued && line.startsWith('> ')))) {
      commands.splice(-1, 1, `${last}\n${line.replace(/^> /, '')}`);
      isContinued = line.startsWith('> ');
    } else {
      isContinued = false;
    }
  }
  return commands;
}

/**
 * Returns true if a shell would read another line: after an open quote, in an open here-document, or after a line end
 * that continues the command.
 */
function isUnfinished(command: string): boolean {
  const [, , delimiter] = /(?<!<)<<-?\s*(["']?)(\w+)\1/.exec(command) ?? [];
  if (delimiter !== undefined)
    return !command.split('\n').some((line, index) => index > 0 && line.trim() === delimiter);
  const outside = command.replace(/\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"|(?<![^\s;])#.*/g, '');
  return /['"]/.test(outside) || /(?:\\|\||&&|[{(]|\b(?:do|then|else))\s*$/.test(outside);
}

/** Returns true for a diff that names its files: such a diff can be applied. */
export function isUnifiedDiff(language: string, code: string): boolean {
  return /^(diff|patch)$/i.test(language) && /^--- .+\n\+\+\+ .+\n@@ /m.test(code);
}
