import { defineConfig } from 'vitest/config';

// Threads without isolation: 1,200 tests in 3 s instead of 28 s. Tests therefore own every
// file, port and process they touch and leave no global behind.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/vscode/**', 'test/e2e/**', 'test/bench/**'],
    pool: 'threads',
    isolate: false,
    testTimeout: 30_000,
  },
});
