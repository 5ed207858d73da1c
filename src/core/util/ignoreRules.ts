/** Applies the ignore files of a workspace (gitignore(5)), without git. */
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** Never entered: repositories of version control, and folders of packages, which a package manager restores. */
export const NEVER_ENTERED: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', '.jj', 'node_modules']);
export const IGNORE_FILE = '.gitignore';

/** Takes the name of a folder, without its path. */
export function isNeverEntered(name: string): boolean {
  return NEVER_ENTERED.has(name);
}

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

  /** Takes an absolute path. The nearest rule decides, and of one file the last one. */
  ignores(place: string, type: 'file' | 'directory'): boolean {
    const isFolder = type === 'directory';
    if (isFolder && isNeverEntered(path.basename(place))) return true;
    if (this.#matcher !== undefined) {
      const relative = path.relative(this.#folder, place).split(path.sep).join('/');
      const { ignored, unignored } = this.#matcher.test(isFolder ? `${relative}/` : relative);
      if (ignored || unignored) return ignored;
    }
    return this.#parent?.ignores(place, type) ?? false;
  }
}
