/**
 * A process that counts in the day's file, for tests with several processes. Arguments: TILLER_HOME and the number of
 * rounds. Each round adds 3 tokens and a cost of 0.5; every fifth one raises the cap of 100 tokens.
 */
import { DaySpending } from '../../src/core/session/daySpending.ts';
import { systemClock } from '../../src/node/host/clock.ts';
import { describeHost } from '../../src/node/host/host.ts';
import { createStorage } from '../../src/node/storage/storage.ts';

const [home = '', rounds = '1'] = process.argv.slice(2);
const warn = (message: string) => void process.stdout.write(`${message}\n`);
const log = { debug() {}, info() {}, warn, error: warn };
const day = new DaySpending({ storage: createStorage(home), clock: systemClock, host: describeHost(), log });

async function run(): Promise<void> {
  for (let round = 0; round < Number(rounds); round++) {
    day.add({ tokens: 1, cost: 0.5, estimated: false });
    day.add({ tokens: 2, cost: 0, estimated: false });
    if (round % 5 === 0) day.raise('day', { unit: 'tokens', cap: 100, next: 200 + round });
    // Every second round starts while the one before is being saved.
    if (round % 2 === 0) await day.flush();
  }
  await day.flush();
}

void run();
