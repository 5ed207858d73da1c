import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { BaselineStore } from '../../core/ports.ts';
import { encodeText } from '../../core/util/textBytes.ts';
import type { FileState } from '../../protocol/baseline.ts';
import { MAX_TEXT_BYTES } from '../workspace/documentKinds.ts';
import { isLive, liveContent } from '../workspace/liveContent.ts';
import { dirtyNotebooks, textOfNotebook } from '../workspace/notebooks.ts';
import { contentBytes, textContent, UnencodableText } from '../workspace/textContent.ts';

/** Permission bits of a file that is not on the disk yet. */
const NEW_FILE = 0o644;

/**
 * The store with unsaved text: to the user the content of a file is the text in the editor. A patch may change the
 * buffer alone, and an undo must not lose the user's typing.
 */
export function withUnsavedText(store: BaselineStore): BaselineStore {
  return {
    ...store,
    async capture(paths) {
      const states = new Map(await store.capture(paths));
      const unsaved = await unsavedDocuments();
      const notebooks = await unsavedNotebooks();
      for (const path of paths) {
        const document = unsaved.get(path);
        const notebook = notebooks.get(path);
        if (document !== undefined) states.set(path, await stateOf(document, states.get(path), store));
        else if (notebook !== undefined) {
          const cells = encodeText({ text: textOfNotebook(notebook), hasByteOrderMark: false });
          states.set(path, await store.keep(cells, modeOf(states.get(path))));
        }
      }
      return states;
    },
  };
}

/** Returns unsaved documents by resolved place. */
function unsavedDocuments(): Promise<ReadonlyMap<string, vscode.TextDocument>> {
  const unsaved = vscode.workspace.textDocuments.filter(
    (document) =>
      isLive(document) && !document.isClosed && (document.uri.scheme === 'file' || document.uri.scheme === 'untitled'),
  );
  return byPlace(unsaved);
}

/**
 * Returns unsaved notebooks by resolved place. Their content is the text of the cells, which is all that a patch
 * changes.
 */
function unsavedNotebooks(): Promise<ReadonlyMap<string, vscode.NotebookDocument>> {
  return byPlace(dirtyNotebooks());
}

async function byPlace<Document extends { readonly uri: vscode.Uri }>(documents: readonly Document[]) {
  const places = documents.map(({ uri }) => realpath(uri.fsPath).catch(() => uri.fsPath));
  return new Map((await Promise.all(places)).map((place, index) => [place, documents[index] as Document]));
}

function modeOf(state: FileState | undefined): number {
  return state?.type === 'file' ? state.mode : NEW_FILE;
}

async function stateOf(
  document: vscode.TextDocument,
  onDisk: FileState | undefined,
  store: BaselineStore,
): Promise<FileState> {
  const bytes = onDisk?.type === 'file' && onDisk.size <= MAX_TEXT_BYTES ? await store.read(onDisk.hash) : undefined;
  const saved = bytes && (await textContent(document.uri, bytes).catch(() => undefined));
  try {
    const live = await contentBytes(liveContent(document, saved));
    return await store.keep(live, modeOf(onDisk));
  } catch (error) {
    if (!(error instanceof UnencodableText)) throw error;
    return { type: 'left_out', reason: 'unreadable', stamp: `unsaved:${document.version}` };
  }
}
