import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import type { RecordedChange } from '../../src/protocol/baseline.ts';
import { OtherPrograms } from '../../src/vscode/changeReview/otherPrograms.ts';
import { inPlace, until } from './support/editorPlace.ts';

const CHECKOUT = '0 1 me <me@host> 1 +0000\tcheckout: moving from main to other\n';

suite('Changes of other programs', () => {
  test(
    'are marked after a first look that failed, and not by what git did while the review was off',
    inPlace({ 'a.txt': '1\n', 'worktree/logs/HEAD': '0 0 me <me@host> 0 +0000\tcommit: one\n' }, async (here) => {
      const marked: string[] = [];
      const errors: unknown[] = [];
      let looks = 0;
      const other = new OtherPrograms({
        look: async () => {
          if (++looks === 1) throw new Error('EIO');
        },
        gitFolder: async () => here.at('worktree'),
        mark: async (changes) => void marked.push(...changes.map(({ path }) => path)),
        report: (error) => errors.push(error),
      });
      const absent = { type: 'absent' } as const;
      const change = (name: string): RecordedChange[] => [
        { path: here.at(name), before: absent, after: absent, by: 'this' },
      ];
      /** Looks after a change on disk, which VS Code reports. */
      const looked = async () => {
        const before = looks;
        let writtenAt = 0;
        await until(() => {
          // More often a look would never begin: it waits until the writing is over.
          if (Date.now() - writtenAt > 3_000) here.write('a.txt', `${(writtenAt = Date.now())}\n`);
          return looks > before;
        }, 60_000);
      };
      try {
        other.isOn = true;
        await until(() => errors.length === 1, 20_000);
        await other.take(change('too-early.txt'));
        await looked();
        await other.take(change('first.txt'));
        assert.deepEqual(marked, [here.at('first.txt')]);

        here.write('worktree/logs/HEAD', CHECKOUT);
        await other.take(change('of-the-checkout.txt'));
        other.isOn = false;
        here.write('worktree/logs/HEAD', CHECKOUT.replace('0 1', '1 2'));
        const before = looks;
        other.isOn = true;
        await until(() => looks > before, 20_000);
        await other.take(change('later.txt'));
        assert.deepEqual(marked, [here.at('first.txt'), here.at('later.txt')]);
      } finally {
        other.dispose();
      }
    }),
  );
});
