/**
 * Writes memories for a number of rounds, for tests with several processes and for one in which the process is killed.
 * Arguments: TILLER_HOME, the name of the process, and the number of rounds. Prints a line after the first round.
 */
import { ThreadMemories } from '../../src/core/rollout/threadMemories.ts';
import { SecretRedactor } from '../../src/core/util/secretRedactor.ts';
import { createStorage } from '../../src/node/storage/storage.ts';

const [home = '', name = '', rounds = '1'] = process.argv.slice(2);
const memories = new ThreadMemories({ storage: createStorage(home), keys: new SecretRedactor() });

async function run(): Promise<void> {
  for (let round = 0; round < Number(rounds); round++) {
    for (let thread = 0; thread < 4; thread++) {
      const summary = `Round ${round} of ${name}.\n`.repeat(200);
      const threadId = `00000000-0000-4000-8000-00000000000${thread}`;
      const about = { title: `Thread ${thread}`, folder: '/w', updatedAt: new Date().toISOString() };
      await memories.write({ threadId, ...about, trace: `- from ${name}`, summary });
    }
    if (round === 0) process.stdout.write('begun\n');
  }
}

void run();
