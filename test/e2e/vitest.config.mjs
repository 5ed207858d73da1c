import path from 'node:path';
import { defineConfig } from 'vitest/config';

// Two files at a time, each with windows of its own: a scenario waits more than it works, and CI has two cores.
// A window that another program held up is given two more chances; the summary names every test that needed one.
export default defineConfig({
  root: path.join(import.meta.dirname, '../..'),
  test: {
    include: ['test/e2e/**/*.e2e.ts'],
    globalSetup: 'test/e2e/support/prepare.ts',
    pool: 'forks',
    maxWorkers: 2,
    retry: 2,
    sequence: { concurrent: false },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
