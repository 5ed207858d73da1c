import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { decodeFile } from '../../src/node/apply/decodedFile.ts';
import { imageOf } from '../../src/node/apply/fileImage.ts';
import { holdFolders } from '../../src/node/apply/heldFolders.ts';
import { tempFolder } from '../support/tempFolder.ts';

const bytesOf = (text: string) => Buffer.from(text.repeat(20_000));

describe('a large file that is read again', () => {
  it('is not decoded again while it holds the same bytes', () => {
    const first = decodeFile('/same', bytesOf('line\n'));
    assert.equal(first?.text.length, 100_000);
    assert.equal(decodeFile('/same', bytesOf('line\n')), first);
  });

  it('is decoded again when other bytes of the same length are there', () => {
    decodeFile('/changed', bytesOf('line\n'));
    assert.equal(decodeFile('/changed', bytesOf('lime\n'))?.text.slice(0, 5), 'lime\n');
    assert.equal(decodeFile('/changed', bytesOf('\0ime\n')), undefined);
    assert.equal(decodeFile('/changed', bytesOf('line\n'))?.text.slice(0, 5), 'line\n');
  });

  it('keeps its byte order mark', () => {
    const marked = Buffer.concat([Buffer.from('\uFEFF'), bytesOf('line\n')]);
    assert.equal(decodeFile('/marked', marked)?.hasByteOrderMark, true);
    assert.equal(decodeFile('/marked', marked)?.hasByteOrderMark, true);
  });

  it('is compared with what is known of it, and read where it differs', () => {
    using folder = tempFolder();
    const folders = holdFolders();
    const known = bytesOf('line\n'.repeat(10));
    const file = folder.at('a.txt');
    const seen = (bytes: Uint8Array) => {
      writeFileSync(file, bytes);
      const { image } = imageOf(file, folders, known);
      return image.type === 'file' ? image.bytes : undefined;
    };
    assert.equal(seen(Buffer.from(known)), known);
    const changed = Buffer.from(known);
    changed[changed.length - 1] = 0;
    for (const other of [changed, known.subarray(0, -1), Buffer.concat([known, known]), Buffer.alloc(0)])
      assert.deepEqual(seen(other), Buffer.from(other));
    folders.dispose();
  });
});
