import { insideOf } from '../../src/protocol/text/relativizePaths.ts';

/** Formats the output of a tool that had no effect, for the user: the first line, and the rest if there is more. */
export function whyNot(why: string | undefined, cwd?: string): { readonly line: string; readonly rest: string } {
  const reason = (why ?? '').replace(/^apply_patch verification failed: /, '').trim();
  const [line = '', ...rest] = insideOf(cwd, reason).split('\n');
  return { line: line.replace(/:$/, rest.length > 0 ? '…' : ':'), rest: rest.join('\n').trim() };
}
