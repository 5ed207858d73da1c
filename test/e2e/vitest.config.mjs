import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { seedOfThisRun } from '../../scripts/test/seed.mjs';
import { SharedWindowsLast } from './support/sequencer.mjs';

// Two files at a time: a scenario waits more than it works, and CI has two cores. Not isolated, so that a worker keeps its
// server and its browser (support/place.ts). No retry here: scripts/testE2e.mjs runs the files of failed tests again.
export default defineConfig({
  root: path.join(import.meta.dirname, '../..'),
  test: {
    include: process.env.TILLER_TEST_FILES?.split('\n') ?? ['test/e2e/**/*.e2e.ts'],
    env: seedOfThisRun(),
    globalSetup: 'test/e2e/support/prepare.ts',
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
    sequence: { concurrent: false, sequencer: SharedWindowsLast },
    // Each look at the panel crosses two frames, 5 to 10 ms of processor time.
    expect: { poll: { interval: 100 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
