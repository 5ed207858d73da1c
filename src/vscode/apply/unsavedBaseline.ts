import * as vscode from 'vscode';
import type { BaselineStore } from '../../core/ports.ts';
import type { FileState } from '../../protocol/baseline.ts';
import { contentBytes } from '../workspace/textContent.ts';
import { realpath } from 'node:fs/promises';

/** Permission bits of a file that is not on the disk yet. */
const NEW_FILE = 0o644;

/**
 * The store with unsaved text: to the user a file holds what the editor shows. A patch may change the buffer alone, and an
 * undo must not lose what the user has typed.
 */
export function withUnsavedText(store: BaselineStore): BaselineStore {
  return {
    ...store,
    async capture(paths) {
      const states = new Map(await store.capture(paths));
      const unsaved = await unsavedDocuments();
      for (const path of paths) {
        const document = unsaved.get(path);
        if (document !== undefined) states.set(path, await stateOf(document, states.get(path), store));
      }
      return states;
    },
  };
}

/** By resolved place. */
async function unsavedDocuments(): Promise<ReadonlyMap<string, vscode.TextDocument>> {
  const dirty = vscode.workspace.textDocuments.filter(
    ({ isDirty, isClosed, uri }) => isDirty && !isClosed && (uri.scheme === 'file' || uri.scheme === 'untitled'),
  );
  const places = dirty.map(({ uri }) => realpath(uri.fsPath).catch(() => uri.fsPath));
  return new Map((await Promise.all(places)).map((place, index) => [place, dirty[index] as vscode.TextDocument]));
}

async function stateOf(
  document: vscode.TextDocument,
  onDisk: FileState | undefined,
  store: BaselineStore,
): Promise<FileState> {
  const hasByteOrderMark = document.encoding === 'utf8bom';
  const encoding = document.encoding.replace(/^utf8bom$/, 'utf8');
  const bytes = await contentBytes({ text: document.getText(), encoding, hasByteOrderMark });
  return store.keep(bytes, onDisk?.type === 'file' ? onDisk.mode : NEW_FILE);
}
