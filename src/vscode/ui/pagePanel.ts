import * as vscode from 'vscode';
import type * as z from 'zod';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { type PageName, panelHtml } from './webviewHtml.ts';

export interface PagePanelOptions<Message> {
  readonly extensionUri: vscode.Uri;
  readonly page: Exclude<PageName, 'main'>;
  readonly title: string;
  readonly schema: z.ZodType<Message>;
  readonly receive: (message: Message) => Promise<void>;
  /** Posts the current content of the page. */
  readonly fill: () => Promise<void>;
  /** Debounce of updates, in milliseconds. */
  readonly gatherMs: number;
  readonly fail: (error: unknown) => void;
  readonly warn: (message: string) => void;
}

/** A page in an editor tab: at most one of its kind, and no work while it is not open. */
export class PagePanel<Message> implements Disposable {
  readonly #options: PagePanelOptions<Message>;
  #panel: vscode.WebviewPanel | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PagePanelOptions<Message>) {
    this.#options = options;
  }

  show(): void {
    this.#panel ??= this.#create();
    this.#panel.reveal();
  }

  /** Call when something that the page shows may have changed. */
  refresh(): void {
    if (!this.#panel) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#options.fill().catch(this.#options.fail);
    }, this.#options.gatherMs);
  }

  post(message: unknown): void {
    void this.#panel?.webview.postMessage(message);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#panel?.dispose();
  }

  #create(): vscode.WebviewPanel {
    const { extensionUri, page, title } = this.#options;
    const panel = vscode.window.createWebviewPanel(`tiller.${page}`, title, vscode.ViewColumn.Active, {
      enableScripts: true,
      localResourceRoots: [vscode.Uri.joinPath(extensionUri, 'dist', 'webview')],
      // Keeps unfinished input while another tab is active.
      retainContextWhenHidden: true,
    });
    panel.iconPath = vscode.Uri.joinPath(extensionUri, 'media', 'icon.png');
    const store = new DisposableStore();
    store.add(panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(message)));
    store.add(panel.onDidChangeViewState(() => panel.visible && this.refresh()));
    panel.onDidDispose(() => {
      this.#panel = undefined;
      store.dispose();
    });
    panel.webview.html = panelHtml(panel.webview, extensionUri, page);
    return panel;
  }

  #receive(raw: unknown): void {
    const parsed = this.#options.schema.safeParse(raw);
    if (parsed.success) this.#options.receive(parsed.data).catch(this.#options.fail);
    else this.#options.warn(`A page sent an unknown message: ${parsed.error.message}`);
  }
}
