/** Markdown files with texts for the model: agents, skills, prompt files. */
import { readdir, readFile, stat } from 'node:fs/promises';
import type { ProposingFile } from '../../core/trust/fileProposals.ts';

/** In bytes: a longer file is not read. */
const MAX_BYTES = 64 * 1024;
/** In one folder. */
const MAX_FILES = 100;

export interface MarkdownNames {
  readonly names: readonly string[];
  /** Set for a folder with more files: the part of it that is read, as a clause. */
  readonly leftOut?: string;
}

/**
 * Names of Markdown files in a folder that have the ending, sorted, without a README; the first `limit` of them. Never rejects:
 * a folder that cannot be read has none.
 */
export async function markdownIn(
  folder: string,
  { ending = '.md', limit = MAX_FILES }: { readonly ending?: string; readonly limit?: number } = {},
): Promise<MarkdownNames> {
  const names = await readdir(folder).catch(() => []);
  const wanted = names.filter((name) => name.endsWith(ending) && name.toLowerCase() !== 'readme.md').toSorted();
  if (wanted.length <= limit) return { names: wanted };
  return { names: wanted.slice(0, limit), leftOut: `only its first ${limit} files are read` };
}

/**
 * The text without a byte order mark, which would hide the front matter, or the reason why it is not read. Never
 * rejects.
 */
export async function readShort(file: string): Promise<Pick<ProposingFile, 'text' | 'unread'>> {
  try {
    const about = await stat(file);
    // A pipe would never end.
    if (!about.isFile()) return { text: undefined, unread: 'it is not a file' };
    if (about.size > MAX_BYTES) return { text: undefined, unread: `it is longer than ${MAX_BYTES / 1024} KiB` };
    return { text: (await readFile(file, 'utf8')).replace(/^\uFEFF/, '') };
  } catch {
    return { text: undefined, unread: 'it cannot be read' };
  }
}
