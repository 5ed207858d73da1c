import { readFile } from 'node:fs/promises';
import { replayScript } from '../core/replay/script.ts';
import { describeDropped } from '../core/rollout/replay.ts';
import { describeFileError } from '../core/util/fileErrors.ts';
import { wireApiSchema } from '../protocol/providers.ts';
import { parseOptions } from './parseOptions.ts';
import { printSentence, printText } from './print.ts';
import { runReplay } from './replay/run.ts';
import type { Streams } from './streams.ts';
import { EXIT, UsageError } from './usage.ts';

/** `tiller replay ROLLOUT`: runs a recorded thread again and compares the requests (docs/cli.md). @throws UsageError */
export async function replay(argv: readonly string[], { stdout, stderr }: Streams): Promise<number> {
  const { values, positionals } = parseOptions({
    args: [...argv],
    options: { 'wire-api': { type: 'string' } },
    allowPositionals: true,
    strict: true,
  });
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw new UsageError('replay which rollout? give one file');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(describeFileError(error, file));
  });
  const read = replayScript(text);
  if (read.type === 'refused') throw new UsageError(`${file}: ${read.message}`);
  const leftOut = describeDropped(read.script.dropped);
  if (leftOut !== undefined) printSentence(stderr, `tiller: ${leftOut}`);
  const outcome = await runReplay(read.script, { wire: wireOf(values['wire-api']) });
  if (outcome.type === 'same') {
    printText(stdout, `${count(outcome.requests, 'request')} in ${count(outcome.turns, 'turn')}, all as recorded.\n`);
    return EXIT.done;
  }
  printText(stdout, outcome.diff);
  printSentence(stderr, `tiller: ${outcome.message}`);
  return EXIT.failed;
}

function wireOf(given: string | undefined) {
  if (given === undefined) return undefined;
  const wire = wireApiSchema.safeParse(given);
  if (!wire.success) throw new UsageError(`--wire-api ${given}: must be ${wireApiSchema.options.join(', ')}`);
  return wire.data;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
