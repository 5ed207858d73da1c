/** The panel in the side bar and in an editor tab at once. */
import assert from 'node:assert/strict';
import { setup, suite, teardown, test } from 'mocha';
import * as vscode from 'vscode';
import { compose } from '../../src/extension/compose.ts';
import type { Tiller } from '../../src/extension/createTiller.ts';
import type { HostMessage } from '../../src/protocol/wire.ts';
import { ModelServer, says } from '../support/modelServer.ts';
import type { TempFolder } from '../support/tempFolder.ts';
import { ownHome } from './support/ownHome.ts';
import { contextOf, eventually, Page } from './support/page.ts';
import { Memory } from './support/memory.ts';

declare const TILLER_VERSION: string;

suite('the panel in the side bar and in an editor tab', () => {
  const configuration = vscode.workspace.getConfiguration('tiller');
  const set = (key: string, value: unknown) => configuration.update(key, value, vscode.ConfigurationTarget.Global);
  let home: TempFolder;
  let server: ModelServer;
  let tiller: Tiller;
  let side: Page;
  let editor: Page;
  let memory: Memory;
  let count: number;

  setup(async () => {
    home = ownHome();
    server = await ModelServer.start([[says('Hello to both.')]], { wire: 'responses' });
    await set('baseUrl', server.baseUrl);
    await set('model', 'test-model');
    memory = new Memory();
    count = 0;
    tiller = await compose({ ...contextOf(), workspaceState: memory });
    side = new Page();
    editor = new Page();
    tiller.view.resolveWebviewView(side.view);
    await load(side);
    tiller.view.restoreEditor(panelOf(editor));
    await load(editor);
  });
  teardown(async () => {
    await tiller.dispose();
    await server.close();
    for (const key of ['baseUrl', 'model']) await set(key, undefined);
    home[Symbol.dispose]();
  });

  async function load(page: Page): Promise<void> {
    const before = snapshots(page).length;
    page.say({ type: 'ready', build: TILLER_VERSION });
    await eventually(() => snapshots(page).length > before);
  }

  const heard = (page: Page) => page.heard as readonly HostMessage[];
  const snapshots = (page: Page) => heard(page).filter((message) => message.type === 'snapshot');
  const drafts = (page: Page) => heard(page).flatMap((message) => (message.type === 'draft' ? [message.draft] : []));
  const focused = (page: Page) => heard(page).filter(({ type }) => type === 'focus_composer').length;
  const write = (page: Page, text: string, threadId: string | null = null) =>
    page.say({
      type: 'draft',
      count: ++count,
      threadId,
      text,
      edit: null,
      attachments: [],
      images: { draft: [], edit: [] },
    });

  test('shows the same thread in both, whichever of them a message comes from', async () => {
    editor.say({ type: 'op', op: { type: 'user_turn', input: [{ type: 'text', text: 'Hi.' }] } });
    for (const page of [side, editor]) {
      await page.hears('Hello to both.');
      await page.hears('"turn_completed"');
    }
    assert.equal(snapshots(side).at(-1)?.thread?.threadId, snapshots(editor).at(-1)?.thread?.threadId);
  });

  test('shows one draft, and a page that is shown again takes that of the other', async () => {
    write(side, 'begun');
    assert.deepEqual([drafts(side), drafts(editor)], [[], ['begun']]);
    await load(editor);
    assert.equal(snapshots(editor).at(-1)?.isDraftOfOther, true);
    write(editor, 'begun here');
    assert.deepEqual(drafts(side), ['begun here']);
    await load(editor);
    assert.equal(snapshots(editor).at(-1)?.isDraftOfOther, undefined);
    await load(side);
    const last = snapshots(side).at(-1);
    assert.deepEqual([last?.draft, last?.isDraftOfOther], ['begun here', true]);
  });

  test('confirms to each page which of its drafts it has, so that both end with the last one', async () => {
    const counts = (page: Page) =>
      heard(page).flatMap((message) => (message.type === 'draft' ? [message.draftCount] : []));
    write(side, 'one');
    const last = count;
    write(editor, 'two');
    assert.deepEqual([counts(editor), counts(side)], [[0], [last]]);
    await load(side);
    assert.equal(snapshots(side).at(-1)?.draftCount, 0);
  });

  test('a text that the other page has sent does not come back after a reload of the window', async () => {
    write(side, 'to send');
    write(editor, '');
    await tiller.dispose();
    tiller = await compose({ ...contextOf(), workspaceState: memory });
    side = new Page();
    tiller.view.resolveWebviewView(side.view);
    await load(side);
    const last = snapshots(side).at(-1);
    assert.deepEqual([last?.draft, last?.isDraftOfOther], ['', true]);
  });

  test('gives the focus to the page that was used last', () => {
    write(side, 'a');
    tiller.view.focusComposer();
    assert.deepEqual([focused(side), focused(editor)], [1, 0]);
    write(editor, 'b');
    tiller.view.focusComposer();
    assert.deepEqual([focused(side), focused(editor)], [1, 1]);
  });

  test('opens a tab of VS Code, one for all threads, that closes with the extension', async () => {
    tiller.view.openInEditor();
    tiller.view.openInEditor();
    const tabs = () =>
      vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.includes('tiller.chatEditor'));
    // The tab of this test is a replica, which the first call has revealed.
    assert.equal(tabs().length, 0);
    disposed.fire();
    tiller.view.openInEditor();
    tiller.view.openInEditor();
    await eventually(() => tabs().length === 1);
    assert.equal(tabs()[0]?.label, 'Tiller');
    await tiller.dispose();
    await eventually(() => tabs().length === 0);
  });

  const disposed = new vscode.EventEmitter<void>();

  function panelOf(page: Page): vscode.WebviewPanel {
    return {
      ...page.view,
      active: true,
      title: '',
      reveal: () => {},
      dispose: () => {},
      onDidDispose: disposed.event,
      onDidChangeViewState: new vscode.EventEmitter<unknown>().event,
    } as unknown as vscode.WebviewPanel;
  }
});
