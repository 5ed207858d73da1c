/** Difference (e) of design.md decision 4: a patch that is found only without its indentation is applied with that of the file. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePatch } from '../../../src/core/patch/parse.ts';
import { planPatch, type PatchPlan } from '../../../src/core/patch/plan.ts';

interface Line {
  readonly kind: ' ' | '-' | '+';
  readonly text: string;
}

function planned(file: string, ...lines: readonly string[]): PatchPlan {
  const parsed = parsePatch(['*** Begin Patch', '*** Update File: a', '@@', ...lines, '*** End Patch'].join('\n'));
  if (parsed.type === 'invalid') throw new Error(parsed.message);
  return planPatch(parsed.operations, '/work', new Map([['/work/a', { type: 'text', text: file }]]));
}

const written = (lines: readonly Line[]) => lines.map(({ kind, text }) => kind + text);
const isBlank = (text: string) => text.trim() === '';

/** Distinct lines, except blank ones; some are removed, others inserted between them. */
const edits = fc
  .record({
    unit: fc.constantFrom(' ', '  ', '    ', '\t'),
    lines: fc.array(
      fc.record({
        level: fc.integer({ min: 2, max: 4 }),
        blank: fc.boolean(),
        kind: fc.constantFrom<Line['kind']>(' ', '-', '+'),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    above: fc.nat(3),
  })
  .map(({ unit, lines, above }) => {
    const edit = lines.map(
      ({ level, blank, kind }, index): Line => ({
        kind,
        text: blank && index > 0 ? '' : unit.repeat(level) + `line ${index};`,
      }),
    );
    // The first line is quoted, so that there is context to find.
    const [first, ...rest] = edit;
    const chunk: Line[] = [{ kind: ' ', text: first?.text ?? '' }, ...rest];
    const quoted = chunk.filter(({ kind }) => kind !== '+').map(({ text }) => text);
    const file = [...Array.from({ length: above }, (_, index) => `above ${index}`), ...quoted, 'below'].map(
      (line) => `${line}\n`,
    );
    return { unit, chunk, file: file.join('') };
  });

describe('a quote in another indentation', () => {
  it('is applied as the same patch in the right one, when all of it is off by one constant amount', () => {
    fc.assert(
      fc.property(edits, fc.integer({ min: -2, max: 3 }), ({ unit, chunk, file }, levels) => {
        const moved = chunk.map(({ kind, text }) => {
          if (isBlank(text)) return { kind, text };
          return { kind, text: levels < 0 ? text.slice(unit.length * -levels) : unit.repeat(levels) + text };
        });
        const right = planned(file, ...written(chunk));
        expect(right.type).toBe('planned');
        expect(planned(file, ...written(moved))).toEqual(right);
      }),
    );
  });

  it('is refused when only some lines are off, or by different amounts', () => {
    const distances = fc.uniqueArray(fc.nat(3), { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(edits, distances, fc.nat(), ({ unit, chunk, file }, [most = 0, one = 1], pick) => {
        const quoted = chunk.flatMap(({ kind, text }, index) => (kind === '+' || isBlank(text) ? [] : [index]));
        fc.pre(quoted.length > 1);
        const odd = quoted[pick % quoted.length];
        const moved = chunk.map(({ kind, text }, index) =>
          isBlank(text) ? { kind, text } : { kind, text: unit.repeat(index === odd ? one : most) + text },
        );
        expect(planned(file, ...written(moved))).toMatchObject({ type: 'failed', category: 'indentation_differs' });
      }),
    );
  });

  it('is not assumed for differences of trailing blanks or typographic signs', () => {
    fc.assert(
      fc.property(
        edits,
        fc.array(fc.constantFrom('', ' ', '\t'), { minLength: 8, maxLength: 8 }),
        ({ chunk, file }, ends) => {
          const fuzzy = chunk.map(({ kind, text }, index) =>
            kind === '+' ? { kind, text } : { kind, text: text.replace('line ', 'line\u00a0') + (ends[index] ?? '') },
          );
          expect(planned(file, ...written(fuzzy))).toEqual(planned(file, ...written(chunk)));
        },
      ),
    );
  });
});

describe('a patch that is refused for its indentation', () => {
  const message = (file: string, ...lines: string[]) => {
    const result = planned(file, ...lines);
    return result.type === 'failed' ? { category: result.category, message: result.message } : result;
  };

  it('shows the lines of the file and of the patch', () => {
    const file = 'def run():\n\tif ready:\n\t    start()\n    stop()\n';
    expect(message(file, '     if ready:', '         start()', '+        wait()', '     stop()')).toEqual({
      category: 'indentation_differs',
      message: [
        'The quoted lines stand at lines 2-4 of /work/a with another indentation, and not by one constant amount:',
        'line 2: the patch has 4 spaces, the file 1 tab',
        'line 3: the patch has 8 spaces, the file 1 tab, 4 spaces',
        '',
        'The file has:',
        '\tif ready:',
        '\t    start()',
        '    stop()',
        '',
        'Quote these lines as the file has them, and indent the added lines to fit.',
      ].join('\n'),
    });
  });

  it('names the added line that has less indentation than the others', () => {
    expect(message('def one():\n    return 1\n', '         return 1', '+  # below')).toEqual({
      category: 'indentation_differs',
      message: [
        'The quoted lines stand at line 2 of /work/a with another indentation, which this added line cannot follow:',
        '  # below',
        'line 2: the patch has 8 spaces, the file 4 spaces',
        '',
        'The file has:',
        '    return 1',
        '',
        'Quote these lines as the file has them, and indent the added lines to fit.',
      ].join('\n'),
    });
  });

  it('may be the second of two chunks that quote the same lines', () => {
    const chunk = ['@@ class A:', '@@   def one():', '-    return 0', '+    return 1'];
    expect(message('class A:\n  def one():\n    return 0\n', ...chunk, ...chunk)).toEqual({
      category: 'lines_taken',
      message:
        'Two chunks quote line 3 of /work/a:\n    return 0\n\nMake one chunk of them, or let no two quote the same line.',
    });
  });
});
