import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJsonInputStream } from '../../../src/core/patch/jsonInput.ts';
import { parsePatch } from '../../../src/core/patch/parse.ts';
import { createPatchStream } from '../../../src/core/patch/streaming.ts';
import { generateCase } from '../../support/patchCases.ts';
import { rounds } from '../../support/rounds.ts';

/** Cuts a text into pieces at the given places. */
function pieces(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].toSorted((one, other) => one - other);
  return places.slice(1).map((end, index) => text.slice(places[index], end));
}

const cuts = fc.array(fc.nat(2000), { maxLength: 40 });

describe('a patch that is streamed', () => {
  it('shows complete lines', () => {
    const stream = createPatchStream();
    stream.push('*** Begin Patch\n*** Add File: a.t');
    expect(stream.preview).toEqual({ operations: [], ended: false, fault: undefined });
    stream.push('xt\n+one\n+tw');
    expect(stream.preview.operations).toEqual([{ type: 'add', path: 'a.txt', lines: ['one'] }]);
  });

  it('stops at an error and keeps the part before it', () => {
    const stream = createPatchStream();
    stream.push('*** Begin Patch\n*** Delete File: a\nnonsense\n*** Delete File: b\n');
    expect(stream.preview).toMatchObject({ operations: [{ path: 'a' }], fault: { category: 'bad_header', line: 3 } });
  });

  it('ends with the result of the parser, however it is split', () => {
    fc.assert(
      fc.property(fc.nat(), cuts, (seed, places) => {
        const { patch } = generateCase(seed);
        const parsed = parsePatch(patch);
        // An indented end marker is only recognized as the last line once the whole text is there.
        if (parsed.type === 'invalid' || !/\n\*\*\* End Patch/.test(patch)) return;
        const stream = createPatchStream();
        for (const piece of pieces(patch, places)) stream.push(piece);
        stream.finish();
        expect(stream.preview).toEqual({ operations: parsed.operations, ended: true, fault: undefined });
      }),
      { numRuns: rounds(150, 5000) },
    );
  });
});

describe('the input of a call that is streamed', () => {
  it('is decoded as it arrives', () => {
    const stream = createJsonInputStream();
    const json = ['{"inp', 'ut" : "a\\', 'n\\u00e', '9\\ud83d', '\\ude00"', '}'];
    expect(json.map((piece) => stream.push(piece))).toEqual(['', 'a', '\n', '\u00e9\ud83d', '\ude00', '']);
  });

  it('is empty in another format', () => {
    expect(createJsonInputStream().push('{"patch": "x"}')).toBe('');
  });

  it('is the whole value in the end, however it is split', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.boolean(), cuts, (input, ascii, places) => {
        const plainJson = JSON.stringify({ input });
        const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
        const json = ascii ? plainJson.replaceAll(/[\u0080-\uffff]/g, escape) : plainJson;
        const stream = createJsonInputStream();
        expect(
          pieces(json, places)
            .map((piece) => stream.push(piece))
            .join(''),
        ).toBe(input);
      }),
    );
  });
});
