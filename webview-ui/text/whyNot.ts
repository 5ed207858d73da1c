import { insideOf } from '../../src/protocol/text/relativizePaths.ts';

/** What a tool said to the model of why it did nothing, as a person reads it: one line, and the rest where there is more. */
export function whyNot(why: string | undefined, cwd?: string): { readonly line: string; readonly rest: string } {
  const said = (why ?? '').replace(/^apply_patch verification failed: /, '').trim();
  const [line = '', ...rest] = insideOf(cwd, said).split('\n');
  return { line: line.replace(/:$/, rest.length > 0 ? '…' : ':'), rest: rest.join('\n').trim() };
}
