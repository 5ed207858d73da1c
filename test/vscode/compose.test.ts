import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { compose } from '../../src/extension/compose.ts';
import { ownHome } from './support/ownHome.ts';
import { contextOf, Page } from './support/page.ts';

declare const TILLER_VERSION: string;

suite('composing the extension', () => {
  test('that fails late leaves nothing registered, so that the next use can do it', async () => {
    using _home = ownHome();
    const { createStatusBarItem } = vscode.window;
    Object.assign(vscode.window, {
      createStatusBarItem: () => {
        throw new Error('no room in the status bar');
      },
    });
    try {
      await assert.rejects(compose(contextOf()), /no room in the status bar/);
    } finally {
      Object.assign(vscode.window, { createStatusBarItem });
    }
    // VS Code refuses to register a file system or the handler of addresses a second time.
    const tiller = await compose(contextOf());
    const page = new Page();
    try {
      tiller.view.resolveWebviewView(page.view);
      page.say({ type: 'ready', build: TILLER_VERSION });
      await page.hears('"snapshot"');
      tiller.showLog();
    } finally {
      await tiller.dispose();
    }
  });

  test('keeps what the user writes when the extension ends at once', async () => {
    using _home = ownHome();
    const kept = new Map<string, unknown>();
    const workspaceState = {
      keys: () => [...kept.keys()],
      get: (key: string, otherwise: unknown) => kept.get(key) ?? otherwise,
      update: async (key: string, value: unknown) => void kept.set(key, value),
    };
    const context = { ...contextOf(), workspaceState } as unknown as vscode.ExtensionContext;
    const first = await compose(context);
    const page = new Page();
    first.view.resolveWebviewView(page.view);
    page.say({ type: 'ready', build: TILLER_VERSION });
    await page.hears('"snapshot"');
    page.say({
      type: 'draft',
      count: 1,
      threadId: null,
      text: 'half a sentence',
      edit: null,
      attachments: [],
      images: null,
    });
    await first.dispose();
    const second = await compose(context);
    const next = new Page();
    try {
      second.view.resolveWebviewView(next.view);
      next.say({ type: 'ready', build: TILLER_VERSION });
      await next.hears('half a sentence');
    } finally {
      await second.dispose();
    }
  });

  test('lets other extensions run between its parts', async () => {
    using _home = ownHome();
    let turns = 0;
    let isComposing = true;
    const count = () => {
      turns++;
      if (isComposing) setImmediate(count);
    };
    setImmediate(count);
    const tiller = await compose(contextOf());
    isComposing = false;
    await tiller.dispose();
    // Ten steps: five parts, each evaluated and made.
    assert.ok(turns >= 10, `composed in ${turns} turns of the event loop`);
  });
});
