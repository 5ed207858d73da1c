/** The whole extension in a real VS Code, with a page that the test controls. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { WebviewMessage } from '../../../src/protocol/wire.ts';

/** The panel, from the side of the host. */
export class Page {
  readonly heard: unknown[] = [];
  readonly #receive = new vscode.EventEmitter<unknown>();
  readonly view = {
    visible: true,
    onDidDispose: new vscode.EventEmitter<void>().event,
    onDidChangeVisibility: new vscode.EventEmitter<void>().event,
    webview: {
      cspSource: '',
      asWebviewUri: (uri: vscode.Uri) => uri,
      onDidReceiveMessage: this.#receive.event,
      postMessage: (message: unknown) => this.heard.push(message),
    },
  } as unknown as vscode.WebviewView;

  say(message: WebviewMessage): void {
    this.#receive.fire(message);
  }

  /** Resolves when a message to the page contains this text. */
  hears(words: string): Promise<void> {
    return eventually(() => JSON.stringify(this.heard).includes(words));
  }
}

export async function eventually(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!isSo()) {
    assert.ok(Date.now() < deadline, `it never came to ${isSo.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The members that the object graph needs. Files are below the TILLER_HOME of the test, if it has one. */
export function contextOf(): vscode.ExtensionContext {
  const extension = vscode.extensions.getExtension('tiller-dev.tiller');
  assert.ok(extension);
  const { extensionUri } = extension;
  const nothing = { keys: () => [], get: (_key: string, otherwise: unknown) => otherwise, update: async () => {} };
  const secrets = {
    get: async () => undefined,
    store: async () => {},
    delete: async () => {},
    onDidChange: () => ({ dispose() {} }),
  };
  const states = { workspaceState: nothing, globalState: nothing };
  // The tests put TILLER_HOME into a folder of their own.
  const globalStorageUri = vscode.Uri.file(path.join(process.env['TILLER_HOME'] ?? tmpdir(), 'global-storage'));
  return { extension, extensionUri, globalStorageUri, secrets, ...states } as unknown as vscode.ExtensionContext;
}
