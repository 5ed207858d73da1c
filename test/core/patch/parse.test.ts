import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePatch } from '../../../src/core/patch/parse.ts';

const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

describe('parsePatch', () => {
  it('reads every kind of operation', () => {
    const text = patch(
      '*** Add File: new.txt',
      '+one',
      '*** Delete File: old.txt',
      '*** Update File: a.txt',
      '*** Move to: b.txt',
      '@@ function run() {',
      ' kept',
      '',
      '-gone',
      '+come',
      '*** End of File',
    );
    expect(parsePatch(text)).toEqual({
      type: 'patch',
      operations: [
        { type: 'add', path: 'new.txt', lines: ['one'] },
        { type: 'delete', path: 'old.txt' },
        {
          type: 'update',
          path: 'a.txt',
          movedTo: 'b.txt',
          chunks: [
            {
              contexts: ['function run() {'],
              lines: [
                { kind: 'context', text: 'kept' },
                { kind: 'context', text: '' },
                { kind: 'remove', text: 'gone' },
                { kind: 'add', text: 'come' },
              ],
              endOfFile: true,
            },
          ],
        },
      ],
    });
  });

  it.each([
    ['a here-document', (text: string) => `<<'EOF'\n${text}\nEOF`],
    ['carriage returns', (text: string) => text.replaceAll('\n', '\r\n')],
    ['blanks around it', (text: string) => `\n  \n ${text} \n`],
    ['an environment', (text: string) => text.replace('\n', '\n*** Environment ID: here\n')],
  ])('takes %s', (_, disguise) => {
    const text = patch('*** Add File: new.txt', '+one');
    expect(parsePatch(disguise(text))).toEqual(parsePatch(text));
  });

  it.each([
    ['', 'first_line', undefined],
    ['prose\n*** End Patch', 'first_line', undefined],
    ['*** Begin Patch\n*** Delete File: a', 'last_line', undefined],
    ["<<'PATCH'\n*** Begin Patch\n*** End Patch\nPATCH", 'first_line', undefined],
    [patch('*** Delete File: a', '*** End Patch', 'more'), 'last_line', undefined],
    [patch('*** Environment ID: '), 'environment_id', undefined],
    [patch('*** add file: a'), 'bad_header', 2],
    [patch('*** Add File: a', '+x', ''), 'bad_header', 4],
    [patch('*** Update File: a'), 'empty_update', 2],
    [patch('*** Update File: a', '*** Move to: b'), 'empty_update', 2],
    [patch('*** Update File: a', '@@'), 'no_lines', 4],
    [patch('*** Update File: a', '@@', '*** End of File'), 'no_lines', 4],
    [patch('*** Update File: a', '@@', '-x', 'forgot the blank'), 'missing_marker', 5],
    [patch('*** Update File: a', '@@', '-x', '*** End of File', ' y'), 'missing_marker', 6],
    [patch('*** Update File: a', '@@x', '-x'), 'unexpected_line', 3],
    [patch('*** Update File: a', '\tx'), 'unexpected_line', 3],
  ])('refuses %j', (text, category, line) => {
    expect(parsePatch(text)).toMatchObject(line === undefined ? { category } : { category, line });
  });

  it('stacks contexts', () => {
    const parsed = parsePatch(patch('*** Update File: a', '@@ class B', '@@   run()', '-x'));
    expect(parsed).toMatchObject({ operations: [{ chunks: [{ contexts: ['class B', '  run()'] }] }] });
  });

  it('never throws', () => {
    const words = ['*** Begin Patch', '*** End Patch', '*** Update File: ', '@@', ' ', '+', '-', '\n', '\r', 'x'];
    const texts = fc
      .array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary' })))
      .map((parts) => parts.join(''));
    fc.assert(fc.property(texts, (text) => ['patch', 'invalid'].includes(parsePatch(text).type)));
  });
});
