/** What the ignore files of a workspace leave out (gitignore(5)), without git. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** Never entered: repositories of version control, and folders of packages, which a package manager restores. */
const NEVER_ENTERED: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.jj', 'node_modules']);
export const IGNORE_FILE = '.gitignore';

/** The rules of one folder, over those of the folders above it. Another object whenever a rule is another. */
export class IgnoreRules {
  readonly #parent: IgnoreRules | undefined;
  readonly #folder: string;
  readonly #matcher: Ignore | undefined;

  constructor(parent: IgnoreRules | undefined, folder: string, text: string) {
    this.#parent = parent;
    this.#folder = folder;
    this.#matcher = text === '' ? undefined : ignore({ allowRelativePaths: true }).add(text);
  }

  /** The nearest rule decides, and of one file the last one. */
  ignores(place: string, isFolder: boolean): boolean {
    if (isFolder && NEVER_ENTERED.has(path.basename(place))) return true;
    if (this.#matcher !== undefined) {
      const relative = path.relative(this.#folder, place).split(path.sep).join('/');
      const { ignored, unignored } = this.#matcher.test(isFolder ? `${relative}/` : relative);
      if (ignored || unignored) return ignored;
    }
    return this.#parent?.ignores(place, isFolder) ?? false;
  }
}

/** The texts of the rules above a folder, outer ones first: of its repository, which may begin further up. */
export function textsAbove(root: string): readonly { readonly folder: string; readonly text: string }[] {
  const repository = repositoryOf(root);
  if (repository === undefined) return [];
  const texts = [{ folder: repository, text: readText(path.join(repository, '.git', 'info', 'exclude')) }];
  let folder = repository;
  for (const name of path.relative(repository, root).split(path.sep)) {
    if (name === '') continue;
    texts.push({ folder, text: readText(path.join(folder, IGNORE_FILE)) });
    folder = path.join(folder, name);
  }
  return texts;
}

function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, '.git'))) return at;
    if (path.dirname(at) === at) return undefined;
  }
}

/** '' where it cannot be read. */
export function readText(place: string): string {
  try {
    return readFileSync(place, 'utf8');
  } catch {
    return '';
  }
}
