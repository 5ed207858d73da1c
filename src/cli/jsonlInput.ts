import { createInterface } from 'node:readline';
import { type Op, submissionLineSchema } from '../protocol/op.ts';
import { messageOf } from '../core/util/fileErrors.ts';
import { excessOf } from '../core/util/json.ts';
import { withoutByteOrderMark } from '../core/util/textBytes.ts';

/** Submits an op to the thread under the id of the client. */
export type Submit = (id: string, op: Op) => void;

/**
 * Submits every line of `--input jsonl` as it arrives. Resolves at the end of the stream. A line that cannot be parsed
 * is reported and skipped, so that the ops after it are not lost.
 */
export async function readSubmissions(
  stdin: NodeJS.ReadableStream,
  submit: Submit,
  say: (sentence: string) => void,
): Promise<void> {
  let number = 0;
  for await (const line of createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    if (line.trim() === '') continue;
    const parsed = parseLine(number === 1 ? withoutByteOrderMark(line) : line);
    if (typeof parsed === 'string') say(`tiller: stdin line ${number}: ${parsed}`);
    else submit(parsed.id ?? `line-${number}`, parsed.op);
  }
}

function parseLine(line: string) {
  const excess = excessOf(line);
  if (excess !== undefined) return `it ${excess}`;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return messageOf(error);
  }
  const parsed = submissionLineSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return `${issue?.path.join('.') || 'submission'}: ${issue?.message ?? 'not valid'}`;
}
