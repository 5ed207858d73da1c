/** Gives the focus back to the panel after a picker, an input box or a dialog that the panel has opened. */
import * as vscode from 'vscode';
import { DisposableStore } from '../../core/util/disposable.ts';

interface ReturnOptions {
  /** The request itself opens and closes editors: only what the user does counts. */
  readonly changesEditors?: boolean;
}

/**
 * Runs what the panel asks for; then the panel has the focus again: VS Code does not return it to a page when a picker
 * closes. Not where another editor or terminal is active by then, or the user has typed or clicked in an editor: the
 * user is there.
 */
export async function returningFocus<Result>(
  run: () => PromiseLike<Result>,
  focusBack: () => Promise<void>,
  { changesEditors = false }: ReturnOptions = {},
): Promise<Result> {
  const store = new DisposableStore();
  const before = placeOf();
  let hasActed = false;
  store.add(vscode.window.onDidChangeActiveTerminal((terminal) => (hasActed ||= terminal !== undefined)));
  store.add(
    vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
      const { Keyboard, Mouse } = vscode.TextEditorSelectionChangeKind;
      hasActed ||= kind === Keyboard || kind === Mouse;
    }),
  );
  try {
    return await run();
  } finally {
    store.dispose();
    if (!hasActed && (changesEditors || placeOf() === before)) await focusBack();
  }
}

/** The active tab, by its group, name and file. */
function placeOf(): string {
  const { viewColumn, activeTab } = vscode.window.tabGroups.activeTabGroup;
  const input: unknown = activeTab?.input;
  const uri = input instanceof vscode.TabInputText ? input.uri.toString() : '';
  return JSON.stringify([viewColumn, activeTab?.label ?? null, uri]);
}
