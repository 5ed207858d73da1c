import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growingText } from '../../../src/core/patch/growingText.ts';
import { createPatchStream } from '../../../src/core/patch/streaming.ts';

const BEFORE = Array.from({ length: 40 }, (_, index) => `line ${index}\n`).join('');
const PATCH = `*** Begin Patch
*** Update File: a.txt
@@
 line 4
-line 5
+line five
 line 6
@@
 line 20
-line 21
-line 22
+line twenty-one
 line 23
*** End Patch
`;

/** The file after the first `length` characters of a patch. */
function after(patch: string, length: number, before = BEFORE): string {
  const stream = createPatchStream();
  stream.push(patch.slice(0, length));
  const operation = stream.preview.operations.at(-1);
  return operation === undefined ? before : growingText(before, operation);
}

const upTo = (line: string) => PATCH.indexOf(line) + line.length + 1;

describe('the text of a file whose patch is being written', () => {
  it('has each line of the patch as soon as it is complete', () => {
    expect(after(PATCH, upTo('-line 5'))).toBe(BEFORE.replace('line 5\n', ''));
    expect(after(PATCH, upTo('+line five'))).toBe(BEFORE.replace('line 5\n', 'line five\n'));
    expect(after(PATCH, upTo('-line 21'))).toBe(BEFORE.replace('line 5\n', 'line five\n').replace('line 21\n', ''));
    expect(after(PATCH, PATCH.length)).toBe(
      BEFORE.replace('line 5\n', 'line five\n').replace('line 21\nline 22\n', 'line twenty-one\n'),
    );
  });

  it('keeps the chunks before one that is not in the file, and the file where no chunk is', () => {
    const wrong = PATCH.replace(' line 20', ' line twenty');
    expect(after(wrong, wrong.length)).toBe(BEFORE.replace('line 5\n', 'line five\n'));
    expect(after(wrong, wrong.length, 'another file\n')).toBe('another file\n');
  });

  it('grows from nothing for a new file, and is empty for a deleted one', () => {
    const added = '*** Begin Patch\n*** Add File: b.txt\n+one\n+two\n+th';
    expect(after(added, added.length, '')).toBe('one\ntwo\n');
    const deleted = '*** Begin Patch\n*** Delete File: a.txt\n';
    expect(after(deleted, deleted.length)).toBe('');
  });

  it('never loses a line that the patch does not remove, wherever the patch is cut', () => {
    const kept = BEFORE.split('\n').filter((line) => !['line 5', 'line 21', 'line 22'].includes(line));
    fc.assert(
      fc.property(fc.nat(PATCH.length), (length) => {
        const lines = after(PATCH, length).split('\n');
        expect(lines.filter((line) => kept.includes(line))).toEqual(kept);
      }),
    );
  });
});
