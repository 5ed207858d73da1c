import * as vscode from 'vscode';
import type * as z from 'zod';
import { type Disposable, DisposableStore } from '../core/util/disposable.ts';
import { type PageName, panelHtml } from './panelHtml.ts';

export interface PagePanelOptions<Message> {
  readonly extensionUri: vscode.Uri;
  readonly page: Exclude<PageName, 'main'>;
  readonly title: string;
  readonly schema: z.ZodType<Message>;
  readonly receive: (message: Message) => void;
  /** It can be seen again and may be behind. */
  readonly onShown: () => void;
  readonly warn: (message: string) => void;
}

/** A page in an editor tab: at most one of its kind, and nothing while nobody has it open. */
export class PagePanel<Message> implements Disposable {
  readonly #options: PagePanelOptions<Message>;
  #panel: vscode.WebviewPanel | undefined;

  constructor(options: PagePanelOptions<Message>) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#panel !== undefined;
  }

  show(): void {
    this.#panel ??= this.#create();
    this.#panel.reveal();
  }

  post(message: unknown): void {
    void this.#panel?.webview.postMessage(message);
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  #create(): vscode.WebviewPanel {
    const { extensionUri, page, title, onShown } = this.#options;
    const panel = vscode.window.createWebviewPanel(`tiller.${page}`, title, vscode.ViewColumn.Active, {
      enableScripts: true,
      localResourceRoots: [vscode.Uri.joinPath(extensionUri, 'dist', 'webview')],
      // What a person has begun to write is still there when they come back from another tab.
      retainContextWhenHidden: true,
    });
    const store = new DisposableStore();
    store.add(panel.webview.onDidReceiveMessage((message: unknown) => this.#receive(message)));
    store.add(panel.onDidChangeViewState(() => panel.visible && onShown()));
    panel.onDidDispose(() => {
      this.#panel = undefined;
      store.dispose();
    });
    panel.webview.html = panelHtml(panel.webview, extensionUri, page);
    return panel;
  }

  #receive(raw: unknown): void {
    const parsed = this.#options.schema.safeParse(raw);
    if (parsed.success) this.#options.receive(parsed.data);
    else this.#options.warn(`A page said something unknown: ${parsed.error.message}`);
  }
}
