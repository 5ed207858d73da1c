/** What a search leaves out: version control, installed packages, and what `.gitignore` names (gitignore(5)). */
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** The rules of one folder's `.gitignore`. `folder` is absolute. */
export interface IgnoreFile {
  readonly folder: string;
  readonly rules: Ignore;
}

export const IGNORE_FILE = '.gitignore';

const ALWAYS: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.jj', 'node_modules']);

export function parseIgnoreFile(folder: string, text: string): IgnoreFile {
  return { folder, rules: ignore({ allowRelativePaths: true }).add(text) };
}

/** `place` is absolute; `files` are the `.gitignore`s of the folders around it, the nearest last: that one decides. */
export function isIgnored(place: string, isFolder: boolean, files: readonly IgnoreFile[]): boolean {
  if (isFolder && ALWAYS.has(path.basename(place))) return true;
  for (const { folder, rules } of files.toReversed()) {
    const relative = path.relative(folder, place).split(path.sep).join('/');
    const { ignored, unignored } = rules.test(isFolder ? `${relative}/` : relative);
    if (ignored || unignored) return ignored;
  }
  return false;
}
