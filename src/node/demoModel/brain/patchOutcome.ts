/** The outcome of a patch, parsed from the output of the tool. */

export type PatchOutcome =
  | { readonly type: 'applied' }
  /** The user denied it, perhaps with a message. */
  | { readonly type: 'denied'; readonly message: string }
  /** It did not fit the file, or the file could not be written. */
  | { readonly type: 'failed'; readonly message: string };

/** The exit code; without one, the list of files that a successful patch prints. */
const EXIT_CODE = /^(?:Exit code:|Process exited with code) (\d+)/m;
const FILE_LIST = /^[AMD] \S+$/m;
const DENIED = /den(?:y|ied)|declin|reject|refus|forbid|not allowed|not approved|non_interactive|aborted|interrupt/i;

export function readPatchOutcome(text: string): PatchOutcome {
  const message = text.trim();
  const exitCode = EXIT_CODE.exec(message)?.[1];
  if (exitCode === undefined ? FILE_LIST.test(message) : exitCode === '0') return { type: 'applied' };
  const firstLine = message.split('\n', 1)[0] ?? '';
  return { type: DENIED.test(firstLine) ? 'denied' : 'failed', message };
}
