/** Keys that arrive in pieces: no part of them is shown. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HIDDEN, SecretRedactor } from '../../../src/core/util/secretRedactor.ts';
import { rounds } from '../../support/rounds.ts';

function hiding(...keys: readonly string[]): SecretRedactor {
  const hider = new SecretRedactor();
  for (const key of keys) hider.add(key);
  return hider;
}

/** A simple and slow reference. */
function slowly(text: string, keys: readonly string[]): string {
  let shown = '';
  for (let at = 0; at < text.length; ) {
    const here = keys.filter((key) => text.startsWith(key, at)).toSorted((one, other) => other.length - one.length);
    shown += here[0] === undefined ? text[at] : HIDDEN;
    at += here[0]?.length ?? 1;
  }
  return shown;
}

/** Short keys of few letters, so that they begin in, end in and contain each other. */
const keys = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '$'), minLength: 1, maxLength: 5 }), {
  maxLength: 4,
});
const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '$', 'c') }), { maxLength: 12 });

describe('a key', () => {
  it('is redacted wherever it is, the longer one where two begin', () => {
    expect(hiding('sesame', 'sesame-open', 'a.c').hide('sesame-open, sesame! abc a.c')).toBe(
      '[hidden], [hidden]! abc [hidden]',
    );
    fc.assert(
      fc.property(keys, pieces, (held, text) => {
        expect(hiding(...held).hide(text.join(''))).toBe(slowly(text.join(''), held));
      }),
    );
  });

  it('is redacted in whatever pieces it arrives, and only a possible beginning is held back', () => {
    fc.assert(
      fc.property(keys, pieces, (held, text) => {
        const hider = hiding(...held);
        let shown = '';
        let end = '';
        for (const piece of text) {
          const now = hider.hideBeginning(end + piece);
          shown += now.shown;
          end = now.held;
          expect(end === '' || held.some((key) => key.startsWith(end) && key !== end)).toBe(true);
        }
        expect(shown + hider.hide(end)).toBe(slowly(text.join(''), held));
      }),
      { numRuns: rounds(500, 20_000) },
    );
  });

  it('leaves no part of itself where a text was cut in the middle of it', () => {
    fc.assert(
      fc.property(keys, fc.nat({ max: 4 }), fc.nat({ max: 3 }), (held, cut, length) => {
        const hider = hiding(...held);
        for (const key of held) {
          const after = 'c'.repeat(length);
          expect(hider.withoutCutKey(key.slice(1 + (cut % key.length)) + after)).toBe(after);
        }
      }),
    );
    expect(hiding('sesame', 'xse').withoutCutKey('sesame!')).toBe('!');
    expect(hiding('sesame').withoutCutKey('no key')).toBe('no key');
  });

  it('that Tiller holds is redacted in every form, unless it has fewer than 8 characters', () => {
    const hider = new SecretRedactor();
    hider.hold('a "b"+c/d');
    hider.hold('ollama1');
    const forms = ['a "b"+c/d', 'a \\"b\\"+c/d', 'a \\\\\\"b\\\\\\"+c/d', 'a%20%22b%22%2Bc%2Fd', 'a+%22b%22%2Bc%2Fd'];
    for (const form of forms) expect([hider.hide(`<${form}>`), hider.isIn(`<${form}>`)]).toEqual(['<[hidden]>', true]);
    expect([hider.hide('ollama1'), hider.isIn('ollama1')]).toEqual(['ollama1', false]);
  });

  it('delays no text in which it cannot begin', () => {
    const hider = hiding('sesame');
    expect(hider.hideBeginning('one two ')).toEqual({ shown: 'one two ', held: '' });
    expect(hider.hideBeginning('one se')).toEqual({ shown: 'one ', held: 'se' });
    expect(hider.hideBeginning('sesamesesa')).toEqual({ shown: HIDDEN, held: 'sesa' });
    expect(hiding().hideBeginning('sesame')).toEqual({ shown: 'sesame', held: '' });
  });
});
