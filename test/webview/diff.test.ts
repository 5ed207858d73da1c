import { takenLines } from '../../webview-ui/text/takenLines.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { diffOf, parseUnifiedDiff, sharedIndent } from '../../webview-ui/text/diff.ts';
import { isWritten, patchReader, patchTail } from '../../webview-ui/text/patchProgress.ts';
import { THREE_FILES, THREE_FILES_DIFF } from './preview/fixtures.ts';

describe('a unified diff', () => {
  it('is found for its file, also outside of the working directory', () => {
    const diff = parseUnifiedDiff(THREE_FILES_DIFF.replaceAll('src/http/client.ts', 'home/lib/client.ts'));
    for (const path of ['/home/lib/client.ts', 'home\\lib\\client.ts', 'home/lib/client.ts']) {
      assert.equal(diffOf({ path }, diff)?.hunks.length, 2);
    }
    assert.equal(diffOf({ path: 'client.ts' }, diff), undefined);
  });

  it('is split into files, hunks and lines', () => {
    const files = parseUnifiedDiff(THREE_FILES_DIFF);
    assert.deepEqual(
      files.map(({ path, hunks }) => [path, hunks.map(({ lines, content }) => [lines, content.length])]),
      [
        [
          'src/http/client.ts',
          [
            [[14, 17], 5],
            [[19, 20], 3],
          ],
        ],
        ['src/http/retry.ts', [[[9, 11], 3]]],
        ['test/retry.test.ts', [[[1, 2], 2]]],
      ],
    );
    assert.equal(files[0]?.hunks[0]?.section, 'get() {');
    assert.deepEqual(files[0]?.hunks[1]?.content[0], {
      type: 'delete',
      text: '      if (!isTransient(response.status)) throw new HttpError(response);',
    });
  });

  it('supports moves and deletions, and lines that look like headers', () => {
    const diff = [
      'diff --git a/old.md b/new.md',
      'similarity index 90%',
      'rename from old.md',
      'rename to new.md',
      '--- a/old.md',
      '+++ b/new.md',
      '@@ -1,2 +1,2 @@',
      '--- a rule',
      '+++ another',
      ' kept',
      '\\ No newline at end of file',
      'diff --git a/gone.ts b/gone.ts',
      'deleted file mode 100644',
      '--- a/gone.ts',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-last',
      '',
    ].join('\n');
    assert.deepEqual(parseUnifiedDiff(diff), [
      {
        path: 'new.md',
        hunks: [
          {
            lines: [1, 2],
            section: '',
            content: [
              { type: 'delete', text: '-- a rule' },
              { type: 'add', text: '++ another' },
              { type: 'context', text: 'kept' },
            ],
          },
        ],
      },
      { path: 'gone.ts', hunks: [{ lines: null, section: '', content: [{ type: 'delete', text: 'last' }] }] },
    ]);
  });

  it('has its text at the left edge', () => {
    const line = (text: string) => ({ type: 'context' as const, text });
    assert.equal(sharedIndent([line('    a'), line(''), line('  b')]), 2);
  });
});

it('reads the complete part of a patch that is streamed', () => {
  const patch = '*** Begin Patch\n*** Add File: a.ts\n+one\n+two\n*** Update File: b.ts\n@@ f()\n-x\n+y\n+half';
  const files = [
    { path: 'a.ts', kind: 'add', added: 2, removed: 0 },
    { path: 'b.ts', kind: 'update', added: 1, removed: 1 },
  ];
  assert.deepEqual(patchReader()(patch), files);
  const grown = patchReader();
  for (let end = 0; end < patch.length; end++) grown(patch.slice(0, end));
  assert.deepEqual(grown(patch), files);
  assert.deepEqual(grown(`${patch}\n`).at(-1), { path: 'b.ts', kind: 'update', added: 2, removed: 1 });
  assert.deepEqual(grown('*** Delete File: c.ts\n'), [{ path: 'c.ts', kind: 'delete', added: 0, removed: 0 }]);
});

it('shows the last complete lines of the file that is being written', () => {
  const patch = '*** Begin Patch\n*** Add File: a.ts\n+one\n*** Update File: b.ts\n@@ f()\n kept\n-x\n+y\n+half';
  assert.deepEqual(patchTail(patch), [
    { type: 'context', text: 'kept' },
    { type: 'delete', text: 'x' },
    { type: 'add', text: 'y' },
  ]);
  const long = Array.from({ length: 20 }, (_, index) => `+line ${index}\n`).join('');
  assert.deepEqual(
    patchTail(`*** Add File: c.ts\n${long}`).map(({ text }) => text),
    Array.from({ length: 8 }, (_, index) => `line ${index + 12}`),
  );
  assert.deepEqual([patchTail(''), patchTail('*** Begin Patch\n*** Add File: a.ts\n')], [[], []]);
});

it('counts the lines of a patch without what the user has left out', () => {
  const file = (path: string, hunks: readonly ('in' | 'out' | 'edited')[], isOut = false) => ({
    path,
    isOut,
    isEdited: false,
    hunks,
    reasons: [],
  });
  const [client, retry, added] = THREE_FILES.map(({ path }) => path);
  assert.ok(client && retry && added);
  assert.deepEqual(takenLines(THREE_FILES, THREE_FILES_DIFF, []), { added: 42, removed: 7 });
  const files = [file(client, ['in', 'out']), file(retry, ['edited']), file(added, ['out'], true)];
  assert.deepEqual(takenLines(THREE_FILES, THREE_FILES_DIFF, files), { added: 5, removed: 1 });
});

it('a patch is written when its last line has come', () => {
  const patch = '*** Begin Patch\n*** Add File: a.txt\n+*** End Patch\n';
  assert.equal(isWritten(patch), false);
  assert.equal(isWritten(`${patch}*** End Patch`), true);
  assert.equal(isWritten(`${patch}*** End Patch\n`), true);
});
