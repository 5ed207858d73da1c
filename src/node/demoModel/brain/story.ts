/**
 * A story is a sequence of answers by a model without a memory.
 *
 * It is a generator: it yields an answer with calls, receives their outputs and goes on. Each request replays it from
 * the start with the outputs in the history; the first answer whose calls are not in the history is the next answer.
 * Calls are recognized by their name and input, so other entries in the history do no harm.
 */
import { type Answer, type Call, callsOf, type Entry } from '../conversation.ts';

/** Yields answers; receives one output per call, in order. */
export type Story<Result> = Generator<Answer, Result, readonly string[]>;

/** The next answer of the story, given the history. The story must end with `finish`. */
export function tell(story: Story<never>, happened: readonly Entry[]): Answer {
  const takeOutput = outputsByCall(happened);
  let { value: answer } = story.next();
  while (true) {
    const outputs = callsOf(answer).map(takeOutput);
    if (outputs.every((output) => output === undefined)) return answer;
    ({ value: answer } = story.next(outputs.map((output) => output ?? 'aborted')));
  }
}

/** The last answer of a story. */
export function* finish(answer: Answer): Story<never> {
  yield answer;
  throw new Error('A finished story does not go on.');
}

/** Returns the outputs of equal calls in the order in which the calls were made. */
function outputsByCall(entries: readonly Entry[]): (call: Call) => string | undefined {
  const outputs = new Map<string, string>();
  for (const entry of entries) if (entry.type === 'output') outputs.set(entry.callId, entry.text);

  const waiting = new Map<string, string[]>();
  for (const entry of entries) {
    if (entry.type !== 'call') continue;
    const key = keyOf(entry);
    waiting.set(key, [...(waiting.get(key) ?? []), outputs.get(entry.callId) ?? 'aborted']);
  }
  return (call) => waiting.get(keyOf(call))?.shift();
}

function keyOf(call: { readonly name: string; readonly input: string }): string {
  return JSON.stringify([call.name, call.input]);
}
