import type * as vscode from 'vscode';
import type { ChatView } from './chatView.ts';

type View = Pick<ChatView, 'resolveWebviewView' | 'restoreEditor'>;

/**
 * Shows the panel where VS Code asks for it, as soon as there is one. VS Code asks only once for each place: one that could
 * not be shown because `panel` rejected is shown when `made` is called.
 */
export class PanelProvider implements vscode.WebviewViewProvider, vscode.WebviewPanelSerializer {
  readonly #panel: () => Promise<View>;
  readonly #notShown = new Set<(panel: View) => void>();

  constructor(panel: () => Promise<View>) {
    this.#panel = panel;
  }

  resolveWebviewView(view: vscode.WebviewView): Promise<void> {
    return this.#show(view, (panel) => panel.resolveWebviewView(view));
  }

  deserializeWebviewPanel(editor: vscode.WebviewPanel): Promise<void> {
    return this.#show(editor, (panel) => panel.restoreEditor(editor));
  }

  /** Call with the panel when it has been made. `report` gets the error of a place that cannot be shown; the others are. */
  made(panel: View, report: (error: unknown) => void): void {
    const notShown = [...this.#notShown];
    this.#notShown.clear();
    for (const show of notShown) {
      try {
        show(panel);
      } catch (error) {
        report(error);
      }
    }
  }

  /** Rejects when the place cannot be shown: VS Code reports that. One that is closed before there is a panel is not shown. */
  async #show(place: Pick<vscode.WebviewView, 'onDidDispose'>, show: (panel: View) => void): Promise<void> {
    let isClosed = false;
    place.onDidDispose(() => {
      isClosed = true;
      this.#notShown.delete(show);
    });
    let panel: View;
    try {
      panel = await this.#panel();
    } catch (error) {
      if (!isClosed) this.#notShown.add(show);
      throw error;
    }
    if (!isClosed) show(panel);
  }
}
