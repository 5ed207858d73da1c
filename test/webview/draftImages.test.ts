/** Images of drafts and of messages: what the panel gets of them, and what is kept. */
import { readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type * as vscode from 'vscode';
import { type Attachment, type DraftEdit, partImages, withImages } from '../../src/protocol/draft.ts';
import type { UserImage, UserInput } from '../../src/protocol/item.ts';
import { initialThreadState, type ThreadState } from '../../src/protocol/thread.ts';
import { DraftImageFiles } from '../../src/vscode/chat/draftImages.ts';
import { Drafts } from '../../src/vscode/chat/drafts.ts';
import { PanelImages } from '../../src/vscode/chat/panelImages.ts';
import { tempFolder } from '../support/tempFolder.ts';

const imageOf = (data: string): Attachment => ({
  part: { type: 'image', imageUrl: `data:image/png;base64,${data}` },
  inText: false,
});
const fail = (error: unknown) => {
  throw error;
};
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
  it('keeps its attachments, and no image where attachments are stored', () => {
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

  it('has its images again after a reload of the window, until they are removed or sent', async () => {
    using folder = tempFolder();
    const { memento } = memory();
    const files = () => new DraftImageFiles(folder.at('images'), fail);
    const [own, before] = [imageOf('OWN='), imageOf('BEFORE==')];
    const edit: DraftEdit = { type: 'queued', id: 'q', original: 'o', draft: 'd', attachments: [FILE] };
    const first = files();
    const drafts = new Drafts(memento, first);
    drafts.set('t', '@a', edit, [FILE], { draft: [own], edit: [before] });
    drafts.set(null, 'new', null, [], { draft: [before], edit: [] });
    drafts.set('t', '@a b', edit, [FILE], null);
    await first.flush();
    const second = files();
    const next = new Drafts(memento, second);
    expect(next.attachmentsOf('t')).toEqual([FILE, own]);
    expect(next.editOf('t')).toEqual({ ...edit, attachments: [FILE, before] });
    expect(next.attachmentsOf(null)).toEqual([before]);
    expect(next.attachmentsOf('other')).toEqual([]);
    next.set('t', '', null, [], { draft: [], edit: [] });
    await second.flush();
    expect(new Drafts(memento, files()).attachmentsOf('t')).toEqual([]);
    expect(readdirSync(folder.at('images'))).toHaveLength(1);
  });

  it('keeps no images that are too large together, drops the oldest drafts’, and survives a damaged file', async () => {
    using folder = tempFolder();
    const files = new DraftImageFiles(folder.path, fail, { ofDraft: 2_000, ofAll: 4_000 });
    const images = (length: number) => ({ draft: [imageOf('A'.repeat(length))], edit: [] });
    files.write('large', images(500));
    files.write('large', images(2_000));
    for (const key of ['a', 'b', 'c', 'd', 'e']) files.write(key, images(1_500));
    await files.flush();
    expect(files.read('large')).toBeUndefined();
    expect(files.read('e')).toEqual(images(1_500));
    expect(readdirSync(folder.path)).toHaveLength(2);
    for (const name of readdirSync(folder.path)) writeFileSync(folder.at(name), '{"draft":[{"part":1}]}');
    expect(files.read('e')).toBeUndefined();
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
