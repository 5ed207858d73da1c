import { expect, test } from 'vitest';
import { attachmentsOf, COPY_ID } from '../../src/protocol/draft.ts';
import type { Mention, UserInput } from '../../src/protocol/item.ts';

const file = (name: string): Mention => ({ type: 'mention', kind: 'file', name, path: `/w/${name}` });

test.each([
  ['@src/a.ts', ['src/a.ts'], [true]],
  ['@src/a.tsx', ['src/a.ts'], [false]],
  ['@src/a.tsx and @src/a.ts.', ['src/a.ts', 'src/a.tsx'], [true, true]],
  ['@src/a.tsx', ['src/a.ts', 'src/a.tsx'], [false, true]],
  ['mail me@src/a.ts', ['src/a.ts'], [false]],
  ['no name', ['src/a.ts'], [false]],
])('the draft of a message that is written again: %j names whole mentions of %j alone', (text, names, inText) => {
  const input: readonly UserInput[] = [{ type: 'text', text }, ...names.map(file)];
  expect(attachmentsOf(input)).toEqual(names.map((name, index) => ({ part: file(name), inText: inText[index] })));
});

test('in the draft of a message that is written again, a copied text stays, and a text that was read is left out', () => {
  const copied: Mention = {
    type: 'mention',
    kind: 'terminal',
    name: 'failed',
    path: '',
    id: `${COPY_ID}1`,
    text: 'no',
  };
  const read: Mention = { type: 'mention', kind: 'terminal', name: 'bash', path: '', id: '1', text: 'yes' };
  const { text: _text, ...unread } = read;
  expect(attachmentsOf([copied, read]).map(({ part }) => part)).toEqual([copied, unread]);
});
