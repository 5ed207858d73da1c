import path from 'node:path';
import { defineConfig } from 'vitest/config';

// One scenario at a time: each has a whole VS Code and a browser to itself, and there are two cores.
export default defineConfig({
  root: path.join(import.meta.dirname, '../..'),
  test: {
    include: ['test/e2e/**/*.e2e.ts'],
    globalSetup: 'test/e2e/support/prepare.ts',
    pool: 'forks',
    fileParallelism: false,
    sequence: { concurrent: false },
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
