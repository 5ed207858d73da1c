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

  /** Call with the panel when it has been made. */
  made(panel: View): void {
    const notShown = [...this.#notShown];
    this.#notShown.clear();
    for (const show of notShown) show(panel);
  }

  async #show(place: Pick<vscode.WebviewView, 'onDidDispose'>, show: (panel: View) => void): Promise<void> {
    let panel: View;
    try {
      panel = await this.#panel();
    } catch (error) {
      this.#notShown.add(show);
      place.onDidDispose(() => this.#notShown.delete(show));
      throw error;
    }
    show(panel);
  }
}
