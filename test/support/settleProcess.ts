/**
 * A window that has found an interrupted patch, for tests with several of them; the argument is TILLER_HOME. Says `ready`
 * when it has looked; then each line on stdin is its person's answer: `putBack`, `finish`, or `hang`, which puts back and
 * never says that it is done. Prints what came of it.
 */
import { createInterface } from 'node:readline';
import { createLocks } from '../../src/node/storage/locks.ts';
import { recoverJournals, type RecoveryChoices } from '../../src/node/apply/recoverJournals.ts';

const [home = ''] = process.argv.slice(2);
const locks = createLocks(home, 'vscode');
const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Every file is where it belongs, and whoever asks is not told. */
async function hang(): Promise<void> {
  say('hanging');
  await new Promise(() => setInterval(() => {}, 1000));
}

async function run(): Promise<void> {
  const [interrupted] = await recoverJournals(home, locks);
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
