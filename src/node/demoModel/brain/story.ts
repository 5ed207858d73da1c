/**
 * How a model without a memory can tell a story from its beginning to its end.
 *
 * A story is a generator: it yields an answer with calls, is handed their outputs and goes on. Each request replays it
 * from the start with the outputs the history holds; the first answer whose calls are not in the history is what to
 * say now. Calls are recognised by their name and input, so whatever else the history holds does no harm.
 */
import { type Answer, type Call, callsOf, type Entry } from '../conversation.ts';

/** Yields answers, receives one output per call, in order. */
export type Story<Result> = Generator<Answer, Result, readonly string[]>;

/** What the next answer of the story is, given what has happened. The story must end by `finish`. */
export function tell(story: Story<never>, happened: readonly Entry[]): Answer {
  const takeOutput = outputsByCall(happened);
  let { value: answer } = story.next();
  while (true) {
    const outputs = callsOf(answer).map(takeOutput);
    if (outputs.every((output) => output === undefined)) return answer;
    ({ value: answer } = story.next(outputs.map((output) => output ?? 'aborted')));
  }
}

/** The last answer: nothing of the story comes after it. */
export function* finish(answer: Answer): Story<never> {
  yield answer;
  throw new Error('A finished story does not go on.');
}

/** Hands out the outputs of equal calls in the order in which the calls were made. */
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
