import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { attribute, type CommandWindow, type KnownWrite } from '../../../src/core/baseline/attribution.ts';
import type { FileState } from '../../../src/protocol/baseline.ts';

const file = (letter: string): FileState => ({ type: 'file', hash: letter.repeat(64), size: 1, mode: 0o644 });
const change = (changedAt: number | null, path = '/w/a') => ({ path, before: file('a'), after: file('b'), changedAt });
const window = (id: string, startedAt: number, endedAt: number | null, roots = ['/w']): CommandWindow => ({
  id,
  startedAt,
  endedAt,
  roots,
});
const write = (at: number, after?: FileState, path = '/w/a'): KnownWrite => ({ path, at, after });

describe('the author of a change', () => {
  const cases: readonly [title: string, ReturnType<typeof attribute>, ...Parameters<typeof attribute>][] = [
    ['the only command that ran', { type: 'command', id: 'one' }, change(150), [window('one', 100, 200)], [], 300],
    ['one that still runs', { type: 'command', id: 'one' }, change(150), [window('one', 100, null)], [], 300],
    ['no command, before it started', { type: 'other' }, change(50), [window('one', 100, 200)], [], 300],
    ['no command, after it ended', { type: 'other' }, change(250), [window('one', 100, 200)], [], 300],
    [
      'a command at the edge of the clock',
      { type: 'command', id: 'one' },
      change(90),
      [window('one', 100, 200)],
      [],
      300,
    ],
    ['no command, in another folder', { type: 'other' }, change(150, '/v/a'), [window('one', 100, 200)], [], 300],
    [
      'the one of two commands that ran then',
      { type: 'command', id: 'two' },
      change(350),
      [window('one', 100, 200), window('two', 300, 400)],
      [],
      500,
    ],
    [
      'the first of two commands that follow each other within a tick',
      { type: 'command', id: 'one' },
      change(198),
      [window('one', 100, 200), window('two', 205, 400)],
      [],
      500,
    ],
    [
      'uncertain while two commands run',
      { type: 'uncertain', ids: ['one', 'two'] },
      change(150),
      [window('one', 100, 200), window('two', 120, null)],
      [],
      500,
    ],
    [
      'uncertain for a file that is gone, with two commands since the last look',
      { type: 'uncertain', ids: ['one', 'two'] },
      { ...change(null), after: { type: 'absent' } },
      [window('one', 100, 200), window('two', 300, null)],
      [],
      500,
    ],
    [
      'the patch that left exactly this',
      { type: 'other' },
      change(150),
      [window('one', 100, null)],
      [write(160, file('b'))],
      300,
    ],
    [
      'uncertain where a patch and the command wrote',
      { type: 'uncertain', ids: ['one'] },
      change(150),
      [window('one', 100, null)],
      [write(140, file('c'))],
      300,
    ],
    ['the editor that saved just then', { type: 'other' }, change(150), [window('one', 100, null)], [write(160)], 300],
    [
      'uncertain where the editor saved earlier in the same command',
      { type: 'uncertain', ids: ['one'] },
      change(5_000),
      [window('one', 100, null)],
      [write(160)],
      6_000,
    ],
    [
      'the user who has moved or pasted its folder just then',
      { type: 'other' },
      change(150, '/w/folder/deep/a'),
      [window('one', 100, null)],
      [write(160, undefined, '/w/folder')],
      300,
    ],
    [
      'the command that writes later in a folder of the user',
      { type: 'command', id: 'one' },
      change(5_000, '/w/folder/a'),
      [window('one', 100, null)],
      [write(160, undefined, '/w/folder')],
      6_000,
    ],
    [
      'the command, whatever was written to other files',
      { type: 'command', id: 'one' },
      change(150),
      [window('one', 100, null)],
      [write(150, file('b'), '/w/z')],
      300,
    ],
  ];
  for (const [title, expected, ...given] of cases) {
    it(`is ${title}`, () => assert.deepEqual(attribute(...given), expected));
  }
});
