import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileChange } from '../../../src/core/ports.ts';
import { fileDiff, unifiedDiff } from '../../../src/core/patch/unifiedDiff.ts';

const update = (before: string, after: string, movedTo: string | null = null): FileChange => ({
  kind: 'update',
  path: '/work/src/a.txt',
  before,
  after,
  hunks: [],
  movedTo,
  movedOver: null,
});

describe('unifiedDiff', () => {
  it('shows an update', () => {
    expect(unifiedDiff(update('one\ntwo\n', 'one\nzwei'), '/work')).toEqual({
      text: [
        'diff --git a/src/a.txt b/src/a.txt',
        '--- a/src/a.txt',
        '+++ b/src/a.txt',
        '@@ -1,2 +1,2 @@',
        ' one',
        '-two',
        '+zwei',
        '\\ No newline at end of file',
        '',
      ].join('\n'),
      added: 1,
      removed: 1,
    });
  });

  it('names the changed lines of each hunk, without those around them', () => {
    const { hunks } = fileDiff(update('a\nb\nc\n', 'a\nx\ny\nc'), '/work');
    expect(hunks).toEqual([{ before: { start: 1, end: 3 }, after: { start: 1, end: 4 } }]);
  });

  it('shows new, deleted and moved files', () => {
    const changes: FileChange[] = [
      { kind: 'add', path: '/work/new', text: 'x\n', before: null },
      { kind: 'delete', path: '/work/old', before: 'x\n' },
      update('x\n', 'x\n', '/elsewhere/b'),
    ];
    expect(changes.map((change) => unifiedDiff(change, '/work'))).toEqual([
      {
        text: 'diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n',
        added: 1,
        removed: 0,
      },
      {
        text: 'diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n',
        added: 0,
        removed: 1,
      },
      {
        text: 'diff --git a/src/a.txt b/elsewhere/b\nrename from src/a.txt\nrename to /elsewhere/b\n',
        added: 0,
        removed: 0,
      },
    ]);
  });

  it('is empty when nothing changed', () => {
    expect(unifiedDiff(update('x', 'x'), '/work')).toEqual({ text: '', added: 0, removed: 0 });
  });

  it('stops comparing a long rewrite in time, and shows all of it', () => {
    const lines = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}\n`).join('');
    const diff = unifiedDiff(update(lines('old'), lines('new')), '/work');
    expect(diff.text).toContain('@@ -1,20000 +1,20000 @@\n-old 0\n');
    expect({ added: diff.added, removed: diff.removed }).toEqual({ added: 20_000, removed: 20_000 });
  });

  it('can be applied by git', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tiller-diff-'));
    try {
      const before = { 'src/a.txt': 'one\ntwo\r\nthree', 'old name': 'gone\n', move: 'x\ny\n' };
      for (const [name, text] of Object.entries(before)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      const moved = { ...update('x\ny\n', 'x\nz\n', '/work/moved'), path: '/work/move' };
      const changes: FileChange[] = [
        update('one\ntwo\r\nthree', 'zero\none\nthree\n'),
        { kind: 'delete', path: '/work/old name', before: 'gone\n' },
        { kind: 'add', path: '/work/deep/new', text: 'hello', before: null },
        moved,
      ];
      const diffs = changes.map((change) => unifiedDiff(change, '/work').text);
      execFileSync('git', ['apply', '-'], { cwd: folder, input: diffs.join('') });
      const read = (name: string) => readFileSync(join(folder, name), 'utf8');
      expect(['src/a.txt', 'deep/new', 'moved'].map(read)).toEqual(['zero\none\nthree\n', 'hello', 'x\nz\n']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
