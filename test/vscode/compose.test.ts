import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { activate, deactivate } from '../../src/extension.ts';
import { compose } from '../../src/extension/compose.ts';
import { PanelProvider } from '../../src/vscode/chat/panelProvider.ts';
import { ownHome } from './support/ownHome.ts';
import { contextOf, Page } from './support/page.ts';

declare const TILLER_VERSION: string;

/** Activates the copy of the extension in this bundle, whose names VS Code has of the real one. Returns its view. */
function activateBeside(): PanelProvider {
  const { registerWebviewViewProvider, registerWebviewPanelSerializer } = vscode.window;
  const { registerCommand } = vscode.commands;
  const { registerTool } = vscode.lm;
  const nothing = () => new vscode.Disposable(() => {});
  const providers: unknown[] = [];
  const noteProvider = (_id: string, provider: unknown) => {
    providers.push(provider);
    return nothing();
  };
  Object.assign(vscode.window, {
    registerWebviewViewProvider: noteProvider,
    registerWebviewPanelSerializer: nothing,
  });
  Object.assign(vscode.commands, { registerCommand: nothing });
  Object.assign(vscode.lm, { registerTool: nothing });
  try {
    activate({ ...contextOf(), subscriptions: [] });
  } finally {
    Object.assign(vscode.window, { registerWebviewViewProvider, registerWebviewPanelSerializer });
    Object.assign(vscode.commands, { registerCommand });
    Object.assign(vscode.lm, { registerTool });
  }
  const [provider] = providers;
  assert.ok(provider instanceof PanelProvider);
  return provider;
}

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

  test('is waited for by the end of the extension, which then leaves nothing registered', async () => {
    using _home = ownHome();
    const provider = activateBeside();
    void provider.resolveWebviewView(new Page().view);
    let isEnded = false;
    const ended = deactivate().then(() => (isEnded = true));
    await setImmediate();
    assert.equal(isEnded, false, 'the extension was composed at once');
    await ended;
    // VS Code refuses to register a file system or the handler of addresses a second time.
    const tiller = await compose(contextOf());
    await tiller.dispose();
  });

  test('lets other extensions run between its parts', async () => {
    using _home = ownHome();
    let turns = 0;
    let isComposing = true;
    const count = () => {
      turns++;
      if (isComposing) globalThis.setImmediate(count);
    };
    globalThis.setImmediate(count);
    const tiller = await compose(contextOf());
    isComposing = false;
    await tiller.dispose();
    // Ten steps: five parts, each evaluated and made.
    assert.ok(turns >= 10, `composed in ${turns} turns of the event loop`);
  });
});
