import { expect, test } from 'vitest';
import { attachmentsOf, COPY_ID, partImages, withImages } from '../../src/protocol/draft.ts';
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

test('the images of a draft and of the draft behind its edit are kept apart from the rest, and come back', () => {
  const image = (imageUrl: string) => ({ part: { type: 'image', imageUrl } as const, inText: false });
  const mention = { part: file('src/a.ts'), inText: true };
  const edit = {
    type: 'sent',
    id: 'i1',
    restoresFiles: false,
    original: 'sent',
    draft: 'before',
    attachments: [mention, image('b')],
  } as const;
  const draft = { edit, attachments: [mention, image('a')] };
  const { parts, images } = partImages(draft);
  expect(parts).toEqual({ edit: { ...edit, attachments: [mention] }, attachments: [mention] });
  expect(images).toEqual({ draft: [image('a')], edit: [image('b')] });
  expect(withImages(parts, images)).toEqual(draft);
  expect(withImages({ edit: null, attachments: [] }, images).edit).toBeNull();
});
