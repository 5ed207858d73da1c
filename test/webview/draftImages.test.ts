/** Images of drafts and of messages: what the panel gets of them, and what is kept. */
import { describe, expect, it } from 'vitest';
import type * as vscode from 'vscode';
import { type Attachment, type DraftEdit, partImages, withImages } from '../../src/protocol/draft.ts';
import type { UserImage, UserInput } from '../../src/protocol/item.ts';
import { initialThreadState, type ThreadState } from '../../src/protocol/thread.ts';
import { Drafts } from '../../src/vscode/chat/drafts.ts';
import { PanelImages } from '../../src/vscode/chat/panelImages.ts';

const imageOf = (data: string): Attachment => ({
  part: { type: 'image', imageUrl: `data:image/png;base64,${data}` },
  inText: false,
});
const FILE: Attachment = { part: { type: 'mention', kind: 'file', name: 'a', path: '/a' }, inText: true };

function memory() {
  const stored = new Map<string, unknown>();
  const memento = {
    get: (key: string, fallback?: unknown) => stored.get(key) ?? fallback,
    update: async (key: string, value: unknown) => void stored.set(key, value),
    keys: () => [...stored.keys()],
  } as vscode.Memento;
  return { stored, memento };
}

describe('a draft', () => {
  it('keeps its attachments, and its images in memory alone', () => {
    const { stored, memento } = memory();
    const drafts = new Drafts(memento);
    const [own, before] = [imageOf('OWN='), imageOf('BEFORE==')];
    const edit: DraftEdit = { type: 'queued', id: 'q', original: 'o', draft: 'd', attachments: [FILE] };
    drafts.set('t', '@a', edit, [FILE], { draft: [own], edit: [before] });
    drafts.set('t', '@a b', edit, [FILE], null);
    expect(drafts.attachmentsOf('t')).toEqual([FILE, own]);
    expect(drafts.editOf('t')).toEqual({ ...edit, attachments: [FILE, before] });
    expect(JSON.stringify([...stored])).not.toContain('base64');
    expect(new Drafts(memento).attachmentsOf('t')).toEqual([FILE]);
    expect(new Drafts(memento).editOf('t')).toEqual(edit);
    drafts.set('t', '', null, [], { draft: [], edit: [] });
    expect(drafts.attachmentsOf('t')).toEqual([]);
  });

  it('with the images of both gets them back when its edit ends', () => {
    const { stored, memento } = memory();
    const drafts = new Drafts(memento);
    const [own, before] = [imageOf('OWN='), imageOf('BEFORE==')];
    const edit: DraftEdit = { type: 'queued', id: 'q', original: 'o', draft: 'd', attachments: [FILE, before] };
    drafts.set('t', 'edited', edit, [own]);
    expect(JSON.stringify([...stored])).not.toContain('base64');
    drafts.endEdit('t', { type: 'input_dequeued', id: 'q', reason: 'dropped' });
    expect([drafts.editOf('t'), drafts.attachmentsOf('t')]).toEqual([null, [FILE, before, own]]);
  });

  it('is the same after its images were parted from it', () => {
    const edit: DraftEdit = { type: 'sent', id: 'i', original: '', draft: '', restoresFiles: false };
    for (const parts of [
      { edit: null, attachments: [] },
      { edit, attachments: [FILE, imageOf('A===')] },
      { edit: { ...edit, attachments: [FILE, imageOf('A===')] }, attachments: [imageOf('B===')] },
    ]) {
      const parted = partImages(parts);
      expect(JSON.stringify(parted.parts)).not.toContain('base64');
      expect(withImages(parted.parts, parted.images)).toEqual(parts);
    }
  });
});

describe('an image of a message', () => {
  const image = (data: string): UserImage => ({
    type: 'image',
    imageUrl: `data:image/png;base64,${data}`,
    thumbnail: 'data:image/webp;base64,SAME',
  });
  const threadWith = (...content: UserInput[]): ThreadState => ({
    ...initialThreadState('t'),
    queuedInputs: [{ id: 'q', input: content, held: false }],
  });
  const shownTo = (images: PanelImages, ...content: UserInput[]) =>
    images.ofThread(threadWith(...content)).queuedInputs.flatMap(({ input }) => input);

  it('comes to the panel as its thumbnail, and back as the image, although another one looks alike', () => {
    const images = new PanelImages();
    const content = [image('AAAA'), image('BBBB')];
    const shown = shownTo(images, ...content);
    expect(JSON.stringify(shown)).not.toContain('image/png');
    const restored = images.restored({ type: 'steer', input: shown });
    expect(restored).toMatchObject({ type: 'steer', input: content });
    expect(images.wholeAttachments([{ part: shown[1] as UserImage, inText: false }])).toMatchObject([
      { part: content[1], inText: false },
    ]);
  });

  it('is known by its data, whatever id a thread gives it', () => {
    const images = new PanelImages();
    const content = [
      { ...image('AAAA'), id: 'same' },
      { ...image('BBBB'), id: 'same' },
    ];
    expect(images.whole(shownTo(images, ...content)).map((part) => part.type === 'image' && part.imageUrl)).toEqual([
      content[0]?.imageUrl,
      content[1]?.imageUrl,
    ]);
  });

  it('is dropped with the second thread that is shown after its own', () => {
    const images = new PanelImages();
    const shown = shownTo(images, image('AAAA'));
    shownTo(images, image('BBBB'));
    expect(images.whole(shown)).toMatchObject([image('AAAA')]);
    shownTo(images);
    expect(images.whole(shown)).toEqual(shown);
  });
});
