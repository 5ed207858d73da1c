/** What a search leaves out: version control, installed packages, and what `.gitignore` names. */
import { globToRegExp } from '../../util/glob.ts';

interface IgnoreRule {
  readonly expression: RegExp;
  readonly isNegated: boolean;
  readonly foldersOnly: boolean;
}

/** The rules of one folder's `.gitignore`; paths are relative to that folder, with `/`. */
export interface IgnoreFile {
  readonly folder: string;
  readonly rules: readonly IgnoreRule[];
}

const ALWAYS = new Set(['.git', '.hg', '.svn', 'node_modules']);

export function parseIgnoreFile(folder: string, text: string): IgnoreFile {
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd());
  const rules = lines.flatMap((line): IgnoreRule[] => {
    if (line === '' || line.startsWith('#')) return [];
    const isNegated = line.startsWith('!');
    const pattern = line.slice(isNegated ? 1 : 0).replace(/^\\/, '');
    const foldersOnly = pattern.endsWith('/');
    const glob = foldersOnly ? pattern.slice(0, -1) : pattern;
    return glob === '' ? [] : [{ expression: globToRegExp(glob), isNegated, foldersOnly }];
  });
  return { folder, rules };
}

/** `path` is relative to the searched folder, with `/`; `files` are the `.gitignore`s around it, outermost first. */
export function isIgnored(path: string, isFolder: boolean, files: readonly IgnoreFile[]): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (isFolder && ALWAYS.has(name)) return true;
  let ignored = false;
  for (const { folder, rules } of files) {
    const inner = folder === '' ? path : path.slice(folder.length + 1);
    for (const { expression, isNegated, foldersOnly } of rules) {
      if ((!foldersOnly || isFolder) && expression.test(inner)) ignored = !isNegated;
    }
  }
  return ignored;
}
