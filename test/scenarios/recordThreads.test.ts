/**
 * Records the threads of test/fixtures/threads by running them: `npm run record -- [NAME…]`. Skipped in a run of the tests.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'vitest';
import { recordingOf, THREAD_RECIPES } from '../support/threadRecipes.ts';

const FOLDER = process.env['TILLER_RECORD'];
const NAMES = (process.env['TILLER_RECORD_NAMES'] ?? '').split(',').filter((name) => name !== '');
const RECIPES = THREAD_RECIPES.filter(({ name }) => NAMES.length === 0 || NAMES.includes(name));

describe.runIf(FOLDER !== undefined)('a recording', () => {
  test.each(RECIPES)(
    'of $name',
    async ({ name, record }) => {
      const folder = path.resolve(FOLDER ?? '');
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, `${name}.jsonl`), await recordingOf(record));
    },
    20_000,
  );
});
