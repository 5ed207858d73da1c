import type { Problem } from '../../ports.ts';
import { shortened } from '../../../protocol/text/truncate.ts';

/** In characters. */
const MAX_MESSAGE = 400;

/**
 * Describes a problem in one line: `src/a.ts:3:7 error: message (ts 2322)`. `name`: the file's path as the model knows
 * it.
 */
export function describeProblem(name: string, problem: Omit<Problem, 'lineText'>): string {
  const { severity, line, column, message, origin } = problem;
  const text = shortened(message.trim().replaceAll(/\s*\n\s*/g, ' '), MAX_MESSAGE);
  return `${name}:${line}:${column} ${severity}: ${text}${origin === '' ? '' : ` (${origin})`}`;
}
