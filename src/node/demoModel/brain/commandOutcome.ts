/** The outcome of a command, parsed from the output of the tool. */

export type CommandOutcome =
  | { readonly type: 'exited'; readonly exitCode: number; readonly output: string }
  | { readonly type: 'running'; readonly sessionId: number; readonly output: string }
  /** It was not started, or was stopped before its first output: denied, forbidden, interrupted. */
  | { readonly type: 'not_run'; readonly message: string };

/**
 * Every tool that has run a command starts its output with a header. A text without one is the reason why no command
 * ran.
 */
export function readCommandOutcome(text: string): CommandOutcome {
  const [header, output] = splitAtOutput(text);
  const exit = /^(?:Process exited with code|Exit code:) (-?\d+)/m.exec(header);
  if (exit) return { type: 'exited', exitCode: Number(exit[1]), output };
  const running = /^Process running with session ID (\d+)/m.exec(header);
  if (running) return { type: 'running', sessionId: Number(running[1]), output };
  return readJsonOutcome(text) ?? { type: 'not_run', message: text.trim() };
}

function splitAtOutput(text: string): [header: string, output: string] {
  const marker = /^Output:\r?\n?/m.exec(text);
  if (!marker) return [text, ''];
  return [text.slice(0, marker.index), text.slice(marker.index + marker[0].length)];
}

/** The oldest form: `{"output": …, "metadata": {"exit_code": …}}`. */
function readJsonOutcome(text: string): CommandOutcome | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const { output, metadata } = JSON.parse(text) as { output?: unknown; metadata?: { exit_code?: unknown } };
    if (typeof output !== 'string' || typeof metadata?.exit_code !== 'number') return undefined;
    return { type: 'exited', exitCode: metadata.exit_code, output };
  } catch {
    return undefined;
  }
}
