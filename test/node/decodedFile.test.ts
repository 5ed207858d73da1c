import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { decodeFile } from '../../src/node/apply/decodedFile.ts';

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
});
