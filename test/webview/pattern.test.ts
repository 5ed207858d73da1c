import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPattern, parsePattern } from '../../webview-ui/text/pattern.ts';

describe('the pattern of a rule', () => {
  it('has words, quoted where necessary, and choices in brackets', () => {
    expect(parsePattern('  git (status|log)  --short ')).toEqual(['git', ['status', 'log'], '--short']);
    expect(parsePattern(`echo 'two words' "it's" a'b'c`)).toEqual(['echo', 'two words', "it's", 'abc']);
    expect(parsePattern('a|b')).toEqual(['a|b']);
  });

  it('is undefined while it is incomplete', () => {
    for (const text of ['', '  ', "echo 'open", 'git (status|', 'git (|log)', 'git ()', '(a|b)c']) {
      expect([text, parsePattern(text)]).toEqual([text, undefined]);
    }
  });

  it('is parsed back unchanged', () => {
    const word = fc.string({ minLength: 1 }).filter((text) => /\S/.test(text));
    const choice = fc.stringMatching(/^[\w./-]+$/);
    const pattern = fc.array(fc.oneof(word, fc.array(choice, { minLength: 1 })), { minLength: 1 });
    fc.assert(
      fc.property(pattern, (wanted) => {
        expect(parsePattern(formatPattern(wanted))).toEqual(wanted);
      }),
    );
  });
});
