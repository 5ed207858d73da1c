/** Values in files with secrets, which are redacted in the output of a command that can read these files. */
import path from 'node:path';
import { matchingPattern } from '../policy/readPatterns.ts';
import { isSecretVariable } from './environment.ts';
import type { ToolContext } from './handler.ts';

/** In characters and files: a configuration has no more. */
const [MAX_FILE, MAX_FILES] = [256 * 1024, 32];
/** A line of a key in PEM form has 64 characters, the last one fewer. */
const KEY_LINE = /^[A-Za-z0-9+/=]{32,76}$/;

/** Variables with the name or the value of a secret, and the lines of keys. */
export function secretValuesIn(text: string): readonly string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    if (KEY_LINE.test(line)) return [line];
    const [, name, written = ''] = /^\s*(?:export\s+)?([\w.-]+)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? [];
    const value = /^(["'`])(.*)\1/.exec(written)?.[2] ?? written.replace(/\s+#.*$/, '');
    return name !== undefined && isSecretVariable(name, value) ? [value] : [];
  });
}

/** Returns the secrets in the files of these folders, not below them. Never rejects. */
export async function secretValues(
  folders: readonly string[],
  { workspace, thread, host, signal }: Pick<ToolContext, 'workspace' | 'thread' | 'host' | 'signal'>,
): Promise<readonly string[]> {
  const patternOf = matchingPattern(thread.unreadable, host.platform);
  const found = await Promise.all(
    [...new Set(folders)].map(async (folder) => {
      const entries = await workspace.list(folder).catch(() => []);
      return entries.map(({ name }) => path.join(folder, name)).filter((file) => patternOf(file) !== undefined);
    }),
  );
  const texts = await Promise.all(
    found
      .flat()
      .slice(0, MAX_FILES)
      .map((file) =>
        workspace.read(file, signal).then(
          ({ text }) => text.slice(0, MAX_FILE),
          () => '',
        ),
      ),
  );
  return texts.flatMap(secretValuesIn);
}
