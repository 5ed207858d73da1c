/** Markdown files that tell the model something: agents, skills, prompt files. */
import { readdir, readFile, stat } from 'node:fs/promises';

/** In bytes: a longer file is not read. */
const MAX_BYTES = 64 * 1024;
/** In one folder. */
const MAX_FILES = 100;

/** Names of Markdown files in a folder, sorted, without a README. Never rejects: a folder that cannot be read has none. */
export async function markdownIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const wanted = names.filter((name) => name.endsWith('.md') && name.toLowerCase() !== 'readme.md');
  return wanted.toSorted().slice(0, MAX_FILES);
}

/** `undefined` for what is no file, such as a pipe, for one that is too long, and for one that cannot be read. */
export async function shortTextOf(file: string): Promise<string | undefined> {
  try {
    const about = await stat(file);
    return about.isFile() && about.size <= MAX_BYTES ? await readFile(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
