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

test('shows the panel in the places that were asked for in vain, but for closed ones, once it is made', async () => {
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
  provider.made(panel);
  expect(shown).toEqual([
    ['view', later],
    ['view', view],
    ['editor', editor],
  ]);
  provider.made(panel);
  expect(shown).toHaveLength(3);
});
