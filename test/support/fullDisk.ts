// Looks at WORK and captures its files with a TILLER_HOME on a disk that is full: `<script> WORK HOME`. Prints JSON.
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createBaselineStore } from '../../src/node/baseline/store.ts';

const [, , work = '', home = ''] = process.argv;

async function run(): Promise<void> {
  const store = createBaselineStore({ home, userHome: '/nowhere' });
  const { problem } = await store.look([work], { maxBytes: 1e9 });
  const paths = readdirSync(work).map((name) => path.join(work, name));
  const captured = [...(await store.capture(paths)).values()];
  for (const file of paths) writeFileSync(file, 'changed\n');
  const { changes } = await store.look([work], { maxBytes: 1e9 });
  const reasonOf = (state: (typeof captured)[number]) => (state.type === 'left_out' ? state.reason : state.type);
  const found = changes.map(({ before }) => reasonOf(before));
  process.stdout.write(JSON.stringify({ problem, captured: captured.map(reasonOf), found }));
}

void run();
