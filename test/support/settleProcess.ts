/**
 * A process that acts as a window with an interrupted patch, for tests with several windows. The argument is
 * TILLER_HOME. It prints `ready` when it has found the patch. Then each line on stdin is the answer of its user:
 * `putBack`, `finish`, or `hang`, which rolls the patch back and never reports the end. It prints the result.
 */
import { createInterface } from 'node:readline';
import { createLocks } from '../../src/node/storage/locks.ts';
import { recoverJournals, type RecoveryChoices } from '../../src/node/apply/recoverJournals.ts';

const [home = ''] = process.argv.slice(2);
const locks = createLocks(home, 'vscode');
const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Rolls back every file, but never reports the result. */
async function hang(): Promise<void> {
  say('hanging');
  await new Promise(() => setInterval(() => {}, 1000));
}

async function run(): Promise<void> {
  const [interrupted] = await recoverJournals(home, locks, say);
  say('ready');
  for await (const answer of createInterface({ input: process.stdin })) {
    const act = (ways: RecoveryChoices) => {
      if (answer === 'hang') return ways.rollback(undefined, hang);
      return answer === 'finish' ? ways.finish() : ways.rollback();
    };
    const settlement = await interrupted?.settle(act, { signal: AbortSignal.timeout(20_000) });
    say(JSON.stringify(settlement ?? null));
  }
}

void run();
