/** The messages between a process and its starter: one JSON text a line, on the starter's input and output. */

/** To the starter. */
export interface StartCommand {
  readonly id: number;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The key of the connection for each stream. */
  readonly keys: { readonly stdin: string | null; readonly stdout: string; readonly stderr: string };
  /** From 3 on: numbers of descriptors of the process that asks, or null for none. */
  readonly descriptors: readonly (number | null)[];
  /** The keys of further streams, whose descriptors follow. */
  readonly more: readonly string[];
}

/** From the starter. */
export type StarterMessage =
  /** `inheritable`: its own descriptors that each command inherits. */
  | { readonly type: 'ready'; readonly inheritable: readonly number[] }
  | { readonly type: 'started'; readonly id: number; readonly pid: number }
  | { readonly type: 'failed'; readonly id: number; readonly code: string | null; readonly message: string }
  | { readonly type: 'exited'; readonly id: number; readonly code: number | null; readonly signal: string | null };

/** Characters of a key: a UUID. A connection begins with it. */
export const KEY_LENGTH = 36;

/** Splits a text that arrives in pieces into lines. */
export function lineSplitter(take: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  };
}
