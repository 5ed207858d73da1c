import { t } from '../l10n.ts';
import { languageName, languageOf } from './highlight.ts';

/** The content of the first line of a fence. */
export interface CodeInfo {
  /** A name, an alias or a file extension; may be unknown or empty. */
  readonly language: string;
  /** The name of the language, or the file. */
  readonly title: string;
  /** The file that the code is from or for, when one is named. */
  readonly file: string | null;
}

/** `ts src/http/retry.ts`, `ts title="a.ts"`, `src/a.ts`, `ts` */
export function readInfo(info: string): CodeInfo {
  const [first = '', second = ''] = info.split(/\s+/);
  const named = second.replace(/^(title|file|filename)=/, '').replace(/^["']|["']$/g, '');
  if (named !== '' && !named.startsWith('{')) return { language: first, title: named, file: named };
  if (/[./]/.test(first)) return { language: languageOf(first), title: first, file: first };
  return { language: first, title: languageName(first) ?? (first || t('text')), file: null };
}

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'shell', 'zsh', 'fish', 'console', 'powershell', 'pwsh']);

/**
 * The commands of a block for a terminal; `null` for another language. A block that begins with a prompt is a session: its
 * prompts and the output are left out, and lines that continue a command are kept. Every other block is a script, kept whole.
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
 * Returns true if a shell would ask for another line: an open quote, an open here-document, or a line end that
 * continues.
 */
function isUnfinished(command: string): boolean {
  const [, , delimiter] = /(?<!<)<<-?\s*(["']?)(\w+)\1/.exec(command) ?? [];
  if (delimiter !== undefined)
    return !command.split('\n').some((line, index) => index > 0 && line.trim() === delimiter);
  const outside = command.replace(/\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"|(?<![^\s;])#.*/g, '');
  return /['"]/.test(outside) || /(?:\\|\||&&|[{(]|\b(?:do|then|else))\s*$/.test(outside);
}

/** True for a diff that names its files, so that it can be applied. */
export function isUnifiedDiff(language: string, code: string): boolean {
  return /^(diff|patch)$/i.test(language) && /^--- .+\n\+\+\+ .+\n@@ /m.test(code);
}
