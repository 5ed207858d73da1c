import assert from 'node:assert/strict';
import { it } from 'vitest';
import { inputInCopy } from '../../../src/core/sideCopies/inputInCopy.ts';

const folders = [
  { home: '/w/one', copy: '/h/copies/x/work/one' },
  { home: '/w/two', copy: '/h/copies/x/work/two' },
];
const mention = (path: string) => ({ type: 'mention' as const, kind: 'file' as const, name: 'a.ts', path });

it('a mention of a file of the workspace names the same file of the side copy, and any other stays', () => {
  const text = { type: 'text' as const, text: 'Look at /w/one/a.ts' };
  const given = [text, mention('/w/two/src/a.ts'), mention('/w/other/a.ts'), mention(''), mention('/w/one')];
  assert.deepEqual(inputInCopy(given, folders), [
    text,
    mention('/h/copies/x/work/two/src/a.ts'),
    mention('/w/other/a.ts'),
    mention(''),
    mention('/h/copies/x/work/one'),
  ]);
});
