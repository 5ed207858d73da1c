/**
 * A window that has found an interrupted patch, for tests with several of them; the argument is TILLER_HOME. Prints
 * `ready` when it has found it; then each line on stdin is the answer of its user: `putBack`, `finish`, or `hang`, which
 * rolls back and never reports the end. Prints the result.
 */
import { createInterface } from 'node:readline';
import { createLocks } from '../../src/node/storage/locks.ts';
import { recoverJournals, type RecoveryChoices } from '../../src/node/apply/recoverJournals.ts';

const [home = ''] = process.argv.slice(2);
const locks = createLocks(home, 'vscode');
const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Every file is settled, and the result is never reported. */
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
