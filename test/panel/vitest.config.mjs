import path from 'node:path';
import { defineConfig } from 'vitest/config';

// One page after the other in one browser.
export default defineConfig({
  root: path.join(import.meta.dirname, '../..'),
  test: {
    include: process.env.TILLER_TEST_FILES?.split('\n') ?? ['test/panel/*.panel.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: 1,
  },
});
