import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { appendAnsi, PLAIN } from '../../webview-ui/text/ansi.ts';
import { LINE_CAP, OutputBuffer, type OutputView } from '../../webview-ui/text/outputBuffer.ts';
import type { Run } from '../../webview-ui/text/runs.ts';

function runsOf(text: string): Run[] {
  const runs: Run[] = [];
  appendAnsi(runs, text, PLAIN);
  return runs;
}

const textOf = ({ chunks }: OutputView) => chunks.flatMap(({ runs }) => runs.map(({ text }) => text)).join('');

describe('terminal text', () => {
  it('keeps its colours and loses every other escape', () => {
    assert.deepEqual(runsOf('a\u001b[1;31mb\u001b[0m\u001b[2Kc\u001b]0;title\u0007\u001b[38;5;9md\u001b[90me\u0008'), [
      { text: 'a', ink: '' },
      { text: 'b', ink: 'a-red a-bold' },
      { text: 'cd', ink: '' },
      { text: 'e', ink: 'a-dim' },
    ]);
  });

  it('drops what moves a cursor, asks a terminal or names a window, whatever it looks like', () => {
    const noise = [
      '\u001b[?2004h',
      '\u001b[>4;1m',
      '\u001b[6 q',
      '\u001b[2;5H',
      '\u001b[!p',
      '\u001b]8;;http://x\u001b\\',
      '\u001bP1$r0m\u001b\\',
      '\u001b_secret\u0007',
      '\u001b(B',
      '\u001b7',
    ];
    assert.deepEqual(runsOf(noise.map((escape, index) => `${escape}${index}`).join('')), [
      { text: '0123456789', ink: '' },
    ]);
  });

  it('carries a colour on to the next line', () => {
    const { chunks } = new OutputBuffer().update('\u001b[32mgreen\nstill\u001b[39m\nplain\n');
    assert.deepEqual(chunks[0]?.runs, [
      { text: 'green\nstill', ink: 'a-green' },
      { text: '\nplain\n', ink: '' },
    ]);
  });
});

describe('output that grows', () => {
  it('reads the same whole or in pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'bc', '\n', '\r', '\r\n', '\u001b[31m', '\u001b[0m')), (pieces) => {
        const buffer = new OutputBuffer();
        let text = '';
        for (const piece of pieces) buffer.update((text += piece));
        assert.equal(textOf(buffer.update(text)), textOf(new OutputBuffer().update(text)));
      }),
    );
  });

  it('shows what a progress line ended as', () => {
    assert.equal(textOf(new OutputBuffer().update('10 %\r50 %\r100 %\r\ndone\r\n')), '100 %\ndone\n');
  });

  it('never holds more than its cap, and says how much went', () => {
    const buffer = new OutputBuffer();
    let text = '';
    for (let line = 0; line < 5_000; line++) text += `line ${line}\n`;
    for (let end = 0; end <= text.length; end += 997) buffer.update(text.slice(0, end));
    const view = buffer.update(text);
    const shown = textOf(view).split('\n').length - 1;
    assert.ok(shown <= LINE_CAP && shown > LINE_CAP - 200, `${shown} lines`);
    assert.equal(view.earlierLines + shown, 5_000);
    assert.match(textOf(view), /line 4999\n$/);
  });

  it('never draws a full chunk again', () => {
    const buffer = new OutputBuffer();
    const text = 'x\n'.repeat(150);
    const [first] = buffer.update(text).chunks;
    assert.equal(buffer.update(`${text}y\n`).chunks[0], first);
  });

  it('begins again when the state lost its beginning', () => {
    const buffer = new OutputBuffer();
    buffer.update('one\ntwo\n');
    assert.deepEqual(textOf(buffer.update('two\nthree\n')), 'two\nthree\n');
  });
});
