import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrowingHighlight } from '../../webview-ui/text/growingHighlight.ts';
import { highlight } from '../../webview-ui/text/highlight.ts';

const line = fc.constantFrom('const a = 1;', '', '  // note', 'export function f() {', '}', '"text"', '`');
const code = fc.array(line, { maxLength: 130 }).map((lines) => lines.join('\n'));

describe('code that grows', () => {
  it('keeps every character, whatever the pieces', () => {
    fc.assert(
      fc.property(code, fc.array(fc.nat(400), { maxLength: 12 }), (text, cuts) => {
        const growing = new GrowingHighlight('ts');
        for (const cut of [...cuts.toSorted((one, other) => one - other), text.length]) {
          const { parts, rest } = growing.update(text.slice(0, cut));
          expect(
            parts
              .flat()
              .map((run) => run.text)
              .join('') + rest,
          ).toBe(text.slice(0, cut));
        }
      }),
    );
  });

  it('is coloured up to its last line, and finished parts stay the same', () => {
    const growing = new GrowingHighlight('ts');
    const first = growing.update('const a = 1;\n\nconst b');
    expect(first.rest).toBe('const b');
    expect(first.parts.flat().some(({ ink, text }) => ink === 'tk-k' && text === 'const')).toBe(true);
    growing.update('const a = 1;\n\nconst b = 2;\n');
    const later = growing.update('const a = 1;\n\nconst b = 2;\nconst c = 3;\n');
    const last = growing.update('const a = 1;\n\nconst b = 2;\nconst c = 3;\nconst d');
    expect(last.parts[0]).toBe(later.parts[0]);
    expect(later.parts[0]).toEqual(highlight('const a = 1;\n\n', 'ts'));
  });

  it('is cut into parts of a bounded length where it has no empty line', () => {
    const growing = new GrowingHighlight('ts');
    const { parts } = growing.update('const a = 1;\n'.repeat(100));
    expect(parts).toHaveLength(3);
  });
});
