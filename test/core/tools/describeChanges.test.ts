import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'vitest';
import { describeChanges, diffOfChanges } from '../../../src/core/tools/describeChanges.ts';
import type { FileState, RecordedChange } from '../../../src/protocol/baseline.ts';

/** Content that is kept, and how to read it. */
class Kept {
  readonly #contents = new Map<string, Uint8Array>();
  readonly read = async (hash: string) => this.#contents.get(hash);

  put(content: string | Uint8Array): FileState {
    const bytes = Buffer.from(content as string);
    const hash = createHash('sha256').update(bytes).digest('hex');
    this.#contents.set(hash, bytes);
    return { type: 'file', hash, size: bytes.length, mode: 0o644 };
  }
}

const ABSENT: FileState = { type: 'absent' };
const change = (name: string, before: FileState, after: FileState, by: RecordedChange['by'] = 'this') => ({
  path: `/w/${name}`,
  before,
  after,
  by,
});

describe('the changes of a command', () => {
  it('are described with lines where there is text, and with the reason where they cannot be undone', async () => {
    const kept = new Kept();
    const binary = kept.put(Uint8Array.of(0, 1));
    const { summary, withoutText } = await describeChanges(
      [
        change('a', kept.put('1\n2\n'), kept.put('1\n3\n4\n'), 'uncertain'),
        change('b', ABSENT, { type: 'left_out', reason: 'too_large', stamp: '' }),
        change('c', binary, ABSENT),
        change('dist', ABSENT, { type: 'left_out', reason: 'ignored', stamp: '' }),
      ],
      '/w',
      kept.read,
    );
    assert.deepEqual(summary, {
      files: [
        { path: 'a', kind: 'update', added: 2, removed: 1, uncertain: true },
        { path: 'b', kind: 'add', cannotUndo: 'too_large' },
        { path: 'c', kind: 'delete' },
      ],
      total: 3,
      cannotUndo: 1,
    });
    assert.deepEqual(withoutText, ['/w/b', '/w/c']);
  });

  it('are a diff of at most 2 MiB: files beyond it are named', async () => {
    const kept = new Kept();
    const changes = Array.from({ length: 12 }, (_, index) =>
      change(`f${10 + index}`, ABSENT, kept.put(`${index}\n`.repeat(100_000))),
    );
    const diff = await diffOfChanges(changes, '/w', kept.read);
    assert.ok(diff.length < 4 * 1024 * 1024);
    const named = [...diff.matchAll(/^Binary files a\/(\S+) /gm)].map(([, name]) => name);
    assert.deepEqual(named, ['f20', 'f21']);
  });
});
