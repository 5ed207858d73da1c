/** The places that VS Code gives to the panel, while Tiller cannot be composed and after that. */
import { expect, test } from 'vitest';
import type * as vscode from 'vscode';
import { PanelProvider } from '../../src/vscode/chat/panelProvider.ts';

/** A place of the panel that can be closed. */
function place() {
  const listeners: (() => void)[] = [];
  const fake = {
    onDidDispose: (listener: () => void) => listeners.push(listener),
    close: () => listeners.forEach((listener) => listener()),
  };
  return fake as typeof fake & vscode.WebviewView & vscode.WebviewPanel;
}

test('the provider shows the panel in the places that were asked for in vain, but for closed ones, once it is made', async () => {
  const shown: unknown[] = [];
  const panel = {
    resolveWebviewView: (view: unknown) => void shown.push(['view', view]),
    restoreEditor: (editor: unknown) => void shown.push(['editor', editor]),
  };
  let fault: Error | undefined = new Error('no room');
  const provider = new PanelProvider(async () => {
    if (fault !== undefined) throw fault;
    return panel;
  });
  const [view, closed, editor, later] = [place(), place(), place(), place()];
  await expect(provider.resolveWebviewView(view)).rejects.toThrow('no room');
  await expect(provider.resolveWebviewView(closed)).rejects.toThrow('no room');
  await expect(provider.deserializeWebviewPanel(editor)).rejects.toThrow('no room');
  closed.close();
  fault = undefined;
  await provider.resolveWebviewView(later);
  expect(shown).toEqual([['view', later]]);
  const report = (error: unknown) => expect.unreachable(String(error));
  provider.made(panel, report);
  expect(shown).toEqual([
    ['view', later],
    ['view', view],
    ['editor', editor],
  ]);
  provider.made(panel, report);
  expect(shown).toHaveLength(3);
});

test('the provider does not show a place that is closed while the panel is made', async () => {
  const shown: unknown[] = [];
  const panel = { resolveWebviewView: (view: unknown) => void shown.push(view), restoreEditor: () => {} };
  const closed = place();
  let fault: Error | undefined = new Error('no room');
  const provider = new PanelProvider(async () => {
    await Promise.resolve();
    closed.close();
    if (fault !== undefined) throw fault;
    return panel;
  });
  await expect(provider.resolveWebviewView(closed)).rejects.toThrow('no room');
  fault = undefined;
  await provider.resolveWebviewView(closed);
  provider.made(panel, (error) => expect.unreachable(String(error)));
  expect(shown).toEqual([]);
});

test('the provider shows the other places where one of them cannot be shown, and reports its error', async () => {
  const shown: unknown[] = [];
  const broken = place();
  const panel = {
    resolveWebviewView: (view: unknown) => {
      if (view === broken) throw new Error('Webview is disposed');
      shown.push(view);
    },
    restoreEditor: () => {},
  };
  const provider = new PanelProvider(() => Promise.reject(new Error('no room')));
  const other = place();
  for (const one of [broken, other]) await expect(provider.resolveWebviewView(one)).rejects.toThrow('no room');
  const reported: unknown[] = [];
  provider.made(panel, (error) => reported.push(error));
  expect(shown).toEqual([other]);
  expect(reported).toEqual([new Error('Webview is disposed')]);
});
