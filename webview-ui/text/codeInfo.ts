import { t } from '../l10n.ts';
import { languageName, languageOf } from './highlight.ts';

/** What the first line of a fence says. */
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

/** The commands of a block for a terminal, without prompts and output; `null` for another language. */
export function commandsIn(language: string, code: string): string | null {
  if (!SHELLS.has(language.toLowerCase())) return null;
  const lines = code.split('\n');
  const prompted = lines.filter((line) => /^\s*[$%>] /.test(line));
  return (
    (prompted.length > 0 ? prompted.map((line) => line.replace(/^\s*[$%>] /, '')) : lines).join('\n').trim() || null
  );
}

/** True for a diff that names its files, so that it can be applied. */
export function isUnifiedDiff(language: string, code: string): boolean {
  return /^(diff|patch)$/i.test(language) && /^--- .+\n\+\+\+ .+\n@@ /m.test(code);
}
