// Changes files and takes looks at the workspace until it is killed: `<script> WORK HOME SEED`. Prints a line after
// each look.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createBaselineStore } from '../../src/node/baseline/store.ts';

const [, , work = '', home = '', seed = ''] = process.argv;
const store = createBaselineStore({ home, userHome: '/nowhere' });

async function run(): Promise<never> {
  for (let round = 0; ; round++) {
    for (let file = 0; file < 20; file++) {
      writeFileSync(path.join(work, `f${(round * 7 + file) % 60}`), `${seed} ${round} ${file}\n`.repeat(1_000));
    }
    await store.look([work], { maxBytes: 1e9 });
    process.stdout.write(`${round}\n`);
  }
}

void run();
