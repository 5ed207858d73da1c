/** Text that commands of the user have printed: in terminals, where no sandbox keeps files with secrets closed. */
import path from 'node:path';
import type { SecretRedactor } from '../util/secretRedactor.ts';
import { secretNames } from './files/readGuard.ts';
import type { ToolContext } from './handler.ts';
import { secretValues } from './secretValues.ts';

export type RedactDeps = Pick<ToolContext, 'workspace' | 'thread' | 'host' | 'signal'> & {
  readonly keys: SecretRedactor;
};

/** Maximum files that a text names and whose folders are looked at. */
const MAX_NAMED = 16;

/**
 * Returns the text without the keys that Tiller holds and, like the output of a command without a sandbox, without the
 * values of files with secrets: of the open folders, of `cwds` (working directories of its commands), and of each file with
 * secrets that a word of the text names. Never rejects.
 */
export async function redactPrinted(text: string, cwds: readonly string[], deps: RedactDeps): Promise<string> {
  const { workspace, thread, host, keys } = deps;
  const folders = [...new Set([...cwds, ...workspace.roots])];
  const isSecret = secretNames(thread.unreadable, host.platform);
  const words = new Set(text.split(/[\s'"`;|&<>(){}=,@:]+/));
  const named = [...words].filter((word) => word !== '' && isSecret(word)).slice(0, MAX_NAMED);
  const beside = named.flatMap((word) => folders.map((folder) => path.dirname(path.resolve(folder, word))));
  const values = await secretValues([...folders, ...beside], deps);
  return keys.with(values).hide(text);
}
