/**
 * Records the threads of test/fixtures/threads by running them: `npm run record -- [NAME…]`. Skipped in a run of the tests.
 * Folders of the machine get names that are the same in each recording; nothing else of a rollout is changed.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'vitest';
import { steadyBegin, THREAD_RECIPES } from '../support/threadRecipes.ts';

const FOLDER = process.env['TILLER_RECORD'];
const NAMES = (process.env['TILLER_RECORD_NAMES'] ?? '').split(',').filter((name) => name !== '');

describe.runIf(FOLDER !== undefined)('a recording', () => {
  test.each(THREAD_RECIPES.filter(({ name }) => NAMES.length === 0 || NAMES.includes(name)))(
    'of $name',
    async (recipe) => {
      const chat = await recipe.record(steadyBegin());
      await chat.session.dispose();
      await chat.server.close();
      const folder = path.resolve(FOLDER ?? '');
      mkdirSync(folder, { recursive: true });
      const rollouts = readdirSync(chat.home.at('threads'), { recursive: true, encoding: 'utf8' });
      const rollout = rollouts.find((name) => name.endsWith(`${chat.session.threadId}.jsonl`)) ?? '';
      const text = readFileSync(chat.home.at('threads', rollout), 'utf8')
        .replaceAll(chat.folder.path, '/home/user/project')
        .replaceAll(chat.home.path, '/home/user/.tiller');
      writeFileSync(path.join(folder, `${recipe.name}.jsonl`), text);
      chat.folder[Symbol.dispose]();
      chat.home[Symbol.dispose]();
    },
    20_000,
  );
});
