import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { contrast, hex, readableOn } from '../../webview-ui/text/ansiColours.ts';
import { appendAnsi, PLAIN } from '../../webview-ui/text/ansi.ts';
import { LINE_CAP, OutputBuffer, type OutputView } from '../../webview-ui/text/outputBuffer.ts';
import type { Run } from '../../webview-ui/text/runs.ts';
import { processorTime } from '../support/processorTime.ts';

function runsOf(text: string): Run[] {
  const runs: Run[] = [];
  appendAnsi(runs, text, PLAIN);
  return runs;
}

const textOf = ({ chunks }: OutputView) => chunks.flatMap(({ runs }) => runs.map(({ text }) => text)).join('');

describe('terminal text', () => {
  it('keeps its colours and drops every other escape', () => {
    assert.deepEqual(runsOf('a\u001b[1;31mb\u001b[0m\u001b[2Kc\u001b]0;title\u0007\u001b[38;5;9md\u001b[90me\u0008'), [
      { text: 'a', ink: '' },
      { text: 'b', ink: 'a-red a-bold' },
      { text: 'c', ink: '' },
      { text: 'd', ink: 'a-red' },
      { text: 'e', ink: 'a-dim' },
    ]);
  });

  const look = (codes: string) => runsOf(`\u001b[${codes}mx`).map(({ text: _text, ...rest }) => rest)[0];

  it.each([
    ['a ground of the theme', '42', { ink: 'a-on a-on-green' }],
    ['a bright one, whatever ink was named', '31;1;103', { ink: 'a-on a-on-bright-yellow a-bold' }],
    ['its ink turned round', '7', { ink: 'a-on a-on-ink' }],
    ['a colour turned round', '7;31', { ink: 'a-on a-on-red' }],
    ['what was turned round and back', '7;31;27', { ink: 'a-red' }],
    ['no ground any more', '41;49;2', { ink: 'a-dim' }],
    ['one of the 256 that the theme has', '48;5;12', { ink: 'a-on a-on-bright-blue' }],
    ['one of the cube', '38;5;202', { ink: 'a-mixed', paint: { ink: '#ff5f00' } }],
    ['a grey', '38;5;255', { ink: 'a-mixed', paint: { ink: '#eeeeee' } }],
    ['a mixed colour', '1;38;2;1;2;3', { ink: 'a-mixed a-bold', paint: { ink: '#010203' } }],
    ['the same between colons', '38:2::1:2:3', { ink: 'a-mixed', paint: { ink: '#010203' } }],
    ['the same in short', '38:2:1:2:3', { ink: 'a-mixed', paint: { ink: '#010203' } }],
    ['a mixed ground', '48;2;0;0;64', { ink: 'a-mixed-ground', paint: { ink: '#ffffff', ground: '#000040' } }],
    ['both', '38;2;255;255;0;48;5;16', { ink: 'a-mixed-ground', paint: { ink: '#ffff00', ground: '#000000' } }],
    ['a curly underline in red', '32;4:3;58;2;255;0;0', { ink: 'a-green' }],
    ['no underline', '32;4:0', { ink: 'a-green' }],
    ['a colour that there is not', '32;38;5;256;48;2;1;2;300', { ink: 'a-green' }],
    ['a colour that is cut off', '32;38;5', { ink: 'a-green' }],
  ])('%s', (_, codes, expected) => {
    assert.deepEqual(look(codes), expected);
  });

  it('is readable on any background, and keeps its colour where possible', () => {
    const rgb = fc.tuple(...[0, 1, 2].map(() => fc.nat(255))) as fc.Arbitrary<[number, number, number]>;
    fc.assert(
      fc.property(rgb, rgb, (ground, ink) => {
        const shown = readableOn(ground, ink);
        assert.ok(contrast(ground, shown) >= 4.5, [ground, ink, shown].map(hex).join(' '));
        if (contrast(ground, ink) >= 4.5) assert.deepEqual(shown, ink);
        assert.ok(contrast(ground, readableOn(ground)) >= 4.5);
      }),
    );
  });

  it('keeps all its characters whatever its codes are, in linear time', () => {
    const number = fc.constantFrom('0', '1', '7', '38', '48', '58', '2', '5', '255', '999999999999', '');
    const codes = fc.array(fc.tuple(number, fc.constantFrom(';', ':')), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(codes), (all) => {
        const text = all.map((some) => `\u001b[${some.flat().join('')}mx`).join('');
        assert.equal(
          runsOf(text)
            .map(({ text }) => text)
            .join(''),
          'x'.repeat(all.length),
        );
      }),
    );
    const taken = processorTime(() => {
      for (const hostile of ['38;2;', '48:2:', '7;', '38;5;1;']) runsOf(`\u001b[${hostile.repeat(200_000)}mx`);
      runsOf('\u001b[38;2;1;2;3mx\u001b[48;2;9;9;9my'.repeat(20_000));
    });
    assert.ok(taken < 5_000, `${taken} ms`);
  });

  it('drops codes that move a cursor, query a terminal or set a title, in every form', () => {
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

  it('continues a colour on the next line', () => {
    const { chunks } = new OutputBuffer().update('\u001b[32mgreen\nstill\u001b[39m\nplain\n');
    assert.deepEqual(chunks[0]?.runs, [
      { text: 'green\nstill', ink: 'a-green' },
      { text: '\nplain\n', ink: '' },
    ]);
  });
});

describe('output that grows', () => {
  it('is the same whole or in pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'bc', '\n', '\r', '\r\n', '\u001b[31m', '\u001b[0m')), (pieces) => {
        const buffer = new OutputBuffer();
        let text = '';
        for (const piece of pieces) buffer.update((text += piece));
        assert.equal(textOf(buffer.update(text)), textOf(new OutputBuffer().update(text)));
      }),
    );
  });

  it('shows the final state of a progress line', () => {
    assert.equal(textOf(new OutputBuffer().update('10 %\r50 %\r100 %\r\ndone\r\n')), '100 %\ndone\n');
  });

  it('never exceeds its limit, and shows how much was dropped', () => {
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

  it('never renders a full chunk again', () => {
    const buffer = new OutputBuffer();
    const text = 'x\n'.repeat(150);
    const [first] = buffer.update(text).chunks;
    assert.equal(buffer.update(`${text}y\n`).chunks[0], first);
  });

  it('starts again when the state has dropped its beginning', () => {
    const buffer = new OutputBuffer();
    buffer.update('one\ntwo\n');
    assert.deepEqual(textOf(buffer.update('two\nthree\n')), 'two\nthree\n');
  });
});
