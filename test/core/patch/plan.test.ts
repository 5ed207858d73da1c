import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePatch } from '../../../src/core/patch/parse.ts';
import { pathsOf, planPatch, type PatchPlan } from '../../../src/core/patch/plan.ts';
import type { FileSnapshot } from '../../../src/core/patch/workingTree.ts';
import { applyHunks } from '../../support/patchOutcome.ts';

function plan(files: Record<string, string | FileSnapshot>, ...lines: string[]): PatchPlan {
  const parsed = parsePatch(['*** Begin Patch', ...lines, '*** End Patch'].join('\n'));
  if (parsed.type === 'invalid') throw new Error(parsed.message);
  const snapshots = Object.entries(files).map(([name, file]): [string, FileSnapshot] => [
    `/work/${name}`,
    typeof file === 'string' ? { type: 'text', text: file } : file,
  ]);
  return planPatch(parsed.operations, '/work', new Map(snapshots));
}

const update = (name: string, ...lines: string[]) => [`*** Update File: ${name}`, ...lines];

describe('pathsOf', () => {
  it('names each file once, targets of moves included', () => {
    const parsed = parsePatch(
      '*** Begin Patch\n*** Update File: a\n*** Move to: ../b\n x\n*** Delete File: ./a\n*** Add File: /c\n*** End Patch',
    );
    expect(parsed.type === 'patch' && pathsOf(parsed.operations, '/work')).toEqual(['/work/a', '/b', '/c']);
  });
});

describe('planPatch', () => {
  it('finds lines that a patch quotes with the byte order mark of the file, and writes no second mark', () => {
    // Files are read without their mark.
    const files = { context: 'one\ntwo\nthree\n', removed: 'one\ntwo\n', added: 'one\ntwo\nthree\n' };
    const planned = plan(
      files,
      ...update('context', '@@', ' \uFEFFone', '-two', '+2'),
      ...update('removed', '@@', '-\uFEFFone', '+\uFEFF1', ' two'),
      ...update('added', '@@', '+\uFEFFzero', ' \uFEFFone', '@@', ' two', '-three'),
    );
    expect(planned.type === 'planned' && planned.changes.map((change) => 'after' in change && change.after)).toEqual([
      'one\n2\nthree\n',
      '1\ntwo\n',
      'zero\none\ntwo\n',
    ]);
  });

  it('keeps such a mark that is text of the file, and names the lines as they were quoted', () => {
    const planned = plan({ a: 'one\n\uFEFFtwo\n' }, ...update('a', '@@', '-\uFEFFtwo', '+\uFEFF2'));
    expect(planned).toMatchObject({ type: 'planned', changes: [{ after: 'one\n\uFEFF2\n' }] });
    const missing = plan({ a: 'one\n' }, ...update('a', '@@', '-\uFEFFtwo', '+2'));
    expect(missing).toMatchObject({ type: 'failed', category: 'lines_not_found' });
  });

  it('changes no other line', () => {
    const before = 'one\r\ntwo\nthree\r\n';
    expect(plan({ a: before }, ...update('a', ' one', '-two', '-three', '+two', '+drei'))).toEqual({
      type: 'planned',
      changes: [
        {
          kind: 'update',
          path: '/work/a',
          before,
          after: 'one\r\ntwo\r\ndrei\r\n',
          hunks: [{ start: 1, end: 3, text: 'two\r\ndrei\r\n' }],
          movedTo: null,
          movedOver: null,
        },
      ],
      report: [{ kind: 'M', path: 'a' }],
    });
  });

  it('does not find a quoted line with a carriage return as several lines of the file', () => {
    expect(plan({ a: 'p\rq\rr\r' }, ...update('a', '-p\rq', '+X'))).toMatchObject({ type: 'failed' });
    expect(plan({ a: 'p\rq' }, ...update('a', '-p\rq', '+X'))).toMatchObject({ type: 'failed' });
  });

  it('has only the lines that differ in its hunks', () => {
    const planned = plan(
      { a: '1\n2\n3\n4\n5\n' },
      ...update('a', '@@', '-1', '-2', '+1', '+new', '+2', ' 3', '-4', '+4'),
    );
    expect(planned).toMatchObject({ type: 'planned', changes: [{ hunks: [{ start: 1, end: 1, text: 'new\n' }] }] });
  });

  it('leaves out files whose text stays the same', () => {
    expect(plan({ a: 'x\n' }, ...update('a', ' x'), '*** Add File: b', '*** Delete File: b')).toEqual({
      type: 'planned',
      changes: [],
      report: [
        { kind: 'M', path: 'a' },
        { kind: 'A', path: 'b' },
        { kind: 'D', path: 'b' },
      ],
    });
  });

  it('combines several operations', () => {
    const planned = plan(
      { a: 'one\ntwo\n', b: 'old\n' },
      ...update('a', '-one', '+uno'),
      ...update('a', '*** Move to: c', '-two', '+due'),
      ...update('c', '*** Move to: b', ' uno'),
    );
    expect(planned).toMatchObject({
      changes: [
        {
          kind: 'update',
          path: '/work/a',
          hunks: [{ start: 0, end: 2, text: 'uno\ndue\n' }],
          movedTo: '/work/b',
          movedOver: 'old\n',
        },
      ],
    });
  });

  it('creates a file whose name another one has left', () => {
    const planned = plan({ a: 'one\n' }, ...update('a', '*** Move to: b', ' one'), '*** Add File: a', '+new');
    expect(planned).toMatchObject({
      changes: [
        { kind: 'add', path: '/work/a', text: 'new\n', before: 'one\n' },
        { kind: 'add', path: '/work/b', text: 'one\n', before: null },
      ],
    });
  });

  it('deletes binary files, and replaces them', () => {
    const planned = plan({ a: { type: 'not_text' }, b: { type: 'not_text' } }, '*** Delete File: a', '*** Add File: b');
    expect(planned).toMatchObject({
      changes: [
        { kind: 'add', path: '/work/b', text: '', before: null },
        { kind: 'delete', path: '/work/a', before: null },
      ],
    });
  });

  it.each<[string, string[]]>([
    ['nothing_modified', []],
    ['cannot_read', update('missing', ' x')],
    ['cannot_read', update('folder', ' x')],
    ['cannot_read', update('binary', ' x')],
    ['cannot_read', ['*** Delete File: a', ...update('a', ' x')]],
    ['cannot_delete', ['*** Delete File: missing']],
    ['cannot_delete', ['*** Delete File: folder']],
    ['cannot_write', ['*** Add File: folder']],
    ['cannot_write', ['*** Add File: a/under']],
    ['cannot_write', ['*** Add File: new', '*** Add File: new/under']],
    ['cannot_write', ['*** Add File: new/under', '*** Add File: new']],
    ['cannot_write', update('a', '*** Move to: a/under', ' x')],
    ['context_not_found', update('a', '@@ nowhere', ' x')],
    ['lines_not_found', update('a', '-nowhere')],
    ['lines_taken', update('a', '@@ x', '@@ y', '-z', '@@ x', '@@ y', '-z')],
    ['indentation_differs', update('a', ' x', '-  y')],
  ])('fails with %s on %j', (category, lines) => {
    const files: Record<string, string | FileSnapshot> = {
      a: 'x\ny\nz\n',
      folder: { type: 'directory' },
      binary: { type: 'not_text' },
    };
    expect(plan(files, ...lines)).toMatchObject({ type: 'failed', category });
  });

  it('creates a folder in place of a deleted file', () => {
    const blocked: FileSnapshot = { type: 'unreadable', message: 'not a folder' };
    expect(plan({ a: 'x\n', 'a/b': blocked }, '*** Delete File: a', '*** Add File: a/b')).toMatchObject({
      changes: [
        { kind: 'add', path: '/work/a/b' },
        { kind: 'delete', path: '/work/a' },
      ],
    });
  });
});

describe('a mismatch reports', () => {
  const file = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join('\n');
  const message = (...lines: string[]) => {
    const result = plan({ a: file }, ...update('a', ...lines));
    return result.type === 'failed' ? result.message : '';
  };

  it('the text at the nearest place', () => {
    expect(message(' line 20', '-line twenty-one', ' line 22')).toBe(
      [
        'Cannot find these lines in /work/a:\nline 20\nline twenty-one\nline 22',
        '',
        'Nearest there, lines 19-23:\n19: line 19\n20: line 20\n21: line 21\n22: line 22\n23: line 23',
      ].join('\n'),
    );
  });

  it('chunks that are out of order', () => {
    expect(message('-line 20', '@@', '-line 5')).toContain('the match at line 5 is above');
  });

  it('that the end of the file is elsewhere', () => {
    expect(message('-line 20', '*** End of File')).toContain('They stand at line 20, which is not the end');
  });

  it('that no line is similar', () => {
    expect(message('-completely different')).toContain('Nothing in the file resembles it');
  });

  it.each<[string, string, string[]]>([
    ['quoted otherwise', "4: throw new Error('POST: ' + status)", ['-throw new Error("POST: " + status)']],
    ['written without blanks', '1: const a = { b: 1 };', ['-const a = {b: 1};']],
    ['cut down to what matters', '3: export async function post(url) {', ['@@ post(url)', '+x']],
    ['joined', "2: get('GET: ' + status)", ["-if (x) { get('GET: ' + status); }"]],
    ['of which another line is right, too', '6: return remove(url);', [' begin();', '-return remove(uri);', ' end();']],
  ])('where a line stands that was %s', (_how, expected, lines) => {
    const source = [
      'const a = { b: 1 };',
      "get('GET: ' + status)",
      'export async function post(url) {',
      "throw new Error('POST: ' + status)",
      'begin();',
      'return remove(url);',
      'end();',
      'begin();',
      'return keep(url);',
      'end();',
    ].join('\n');
    const result = plan({ a: source }, ...update('a', ...lines));
    expect(result.type === 'failed' && result.message).toContain(`\n${expected}\n`);
  });

  it('invisible characters', () => {
    const result = plan({ a: 'one\ncaf\u0065\u0301\u200b();\n' }, ...update('a', ' one', '-caf\u00e9();'));
    expect(result.type === 'failed' && result.message).toContain(
      'Line 2 looks like the quote, but its characters differ. Only in the file: U+0065, U+0301, U+200B.',
    );
  });

  it('line numbers, and empty files', () => {
    expect(message('@@ -12,0 +13,1 @@', '+line 12 and a half')).toContain('Line numbers after "@@" are not used');
    const result = plan({ a: '' }, ...update('a', '-line 12'));
    expect(result.type === 'failed' && result.message).toContain('The file is empty.');
  });

  it('at most twelve lines', () => {
    const quote = Array.from({ length: 30 }, (_, index) => `-line ${index + 1}${index === 25 ? '!' : ''}`);
    const shown =
      message(...quote)
        .split('Nearest there, ')[1]
        ?.split('\n') ?? [];
    expect(shown).toHaveLength(13);
    expect(shown).toContain('26: line 26');
  });
});

/** Distinct lines, so that the place of a chunk is unambiguous; each with its own line ending. */
const files = fc
  .uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\u2019', '\u00e9', '@', '+', '*'), maxLength: 6 }), {
    minLength: 1,
  })
  .chain((lines) =>
    fc.record({
      lines: fc.constant(lines),
      endings: fc.array(fc.constantFrom('\n', '\r\n'), { minLength: lines.length, maxLength: lines.length }),
      edits: fc.array(fc.constantFrom('keep', 'keep', 'remove', 'insert'), {
        minLength: lines.length,
        maxLength: lines.length,
      }),
    }),
  );

describe('a patch made from an edit', () => {
  it('makes exactly that edit', () => {
    fc.assert(
      fc.property(files, ({ lines, endings, edits }) => {
        const before = lines.map((line, index) => line + endings[index]).join('');
        const patch = lines.flatMap((line, index) => {
          if (edits[index] === 'remove') return [`-${line}`];
          return edits[index] === 'insert' ? [` ${line}`, '+new'] : [` ${line}`];
        });
        const expected = lines.map((line, index) => {
          if (edits[index] === 'remove') return '';
          return line + endings[index] + (edits[index] === 'insert' ? `new${endings[0]}` : '');
        });
        const planned = plan({ a: before }, '*** Update File: a', '@@', ...patch);
        if (planned.type === 'failed') throw new Error(planned.message);
        const [change] = planned.changes;
        const hunks = change?.kind === 'update' ? change.hunks : [];
        expect(applyHunks(before, hunks)).toBe(expected.join(''));
      }),
    );
  });
});
