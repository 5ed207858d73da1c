/** Token counts by the usual estimate: a token is four bytes. */
import type { Answer } from './conversation.ts';

export interface UsageEstimate {
  readonly input: number;
  readonly output: number;
  /** The part of `output` that is reasoning. */
  readonly reasoning: number;
}

export function estimateUsage(requestBytes: number, answer: Answer): UsageEstimate {
  const reasoning = answer.reduce((sum, part) => sum + (part.type === 'reasoning' ? tokensIn(part.summary) : 0), 0);
  const visible = answer.reduce((sum, part) => {
    if (part.type === 'message') return sum + tokensIn(part.text);
    return part.type === 'call' ? sum + tokensIn(part.call.name + part.call.input) : sum;
  }, 0);
  return { input: Math.ceil(requestBytes / 4), output: reasoning + visible, reasoning };
}

function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}
