import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { seedOfThisRun } from './scripts/test/seed.mjs';

// Without isolation: 1,200 tests in 3 s instead of 28 s. Tests therefore own every file, port and process they touch and leave
// no global behind. In processes, not threads: a thread has four times the stack of an extension host, and starting a program
// copies the page tables of the process that starts it, 23 ms for each GB. Three of them at least: many tests wait.
export default defineConfig({
  test: {
    include: process.env.TILLER_TEST_FILES?.split('\n') ?? ['test/**/*.test.ts'],
    exclude: [
      ...['test/vscode/**', 'test/e2e/**', 'test/bench/**'],
      // No test: it writes the recorded threads (`npm run record`).
      ...(process.env.TILLER_RECORD ? [] : ['test/scenarios/recordThreads.test.ts']),
    ],
    // Node 20 parses all certificates of this file at each start, which takes 20 to 40 ms of each of hundreds of programs.
    env: { ...seedOfThisRun(), NODE_EXTRA_CA_CERTS: '' },
    globalSetup: 'test/support/folders.setup.ts',
    setupFiles: ['test/support/seed.setup.ts', 'test/support/esbuild.setup.ts'],
    pool: 'forks',
    isolate: false,
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // Only ends what hangs: how fast something is, `npm run bench` says.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // Real sockets and processes on a busy machine: one second chance, which `npm test` reports by name. None for a property:
    // its counterexample is true however seldom it is found.
    retry: { count: 1, condition: /^(?!Property failed)/ },
  },
});
