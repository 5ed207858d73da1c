import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { visibleKeys } from '../../webview-ui/text/format.ts';

describe('typed keys', () => {
  it('are shown as on a keyboard', () => {
    assert.equal(visibleKeys('print(1)\n'), 'print(1)⏎');
    assert.equal(visibleKeys('\u0003'), '^C');
    assert.equal(visibleKeys('a\tb\r\n\u001b'), 'a⇥b⏎^[');
  });

  it('are shortened when there are many', () => {
    assert.equal(visibleKeys('x'.repeat(100)).length, 60);
  });
});
