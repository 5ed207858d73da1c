import * as vscode from 'vscode';
import type { SecretRedactor } from '../../core/util/secretRedactor.ts';
import { mapTexts } from '../../core/util/mapTexts.ts';
import type { Event } from '../../protocol/event.ts';
import type { ThreadState, TurnState } from '../../protocol/thread.ts';
import { type PanelUpdate, type WebviewMessage, webviewMessageSchema } from '../../protocol/wire.ts';
import { panelHtml } from '../ui/webviewHtml.ts';
import { EventBatcher } from './eventBatcher.ts';
import { PanelImages } from './panelImages.ts';
import { RedactingStream } from './redactingStream.ts';
import { pageOfTurns, snapshotOf } from './snapshot.ts';

/** The place of a page of the panel. */
export type PagePlace = 'side' | 'editor';

export interface ChatPageOptions {
  readonly place: PagePlace;
  readonly extensionUri: vscode.Uri;
  readonly build: string;
  /** The API keys that Tiller holds; the page does not get them. */
  readonly keys: SecretRedactor;
  readonly receive: (message: WebviewMessage, page: ChatPage) => void;
  readonly log: (level: 'warn' | 'error', message: string) => void;
}

/** One page that shows the panel. It gets a snapshot when it asks for one, and updates until it is hidden or closed. */
export class ChatPage {
  readonly #options: ChatPageOptions;
  readonly #webview: vscode.Webview;
  readonly #batcher = new EventBatcher((events) => this.post({ type: 'events', events }));
  readonly #stream: RedactingStream;
  readonly images = new PanelImages();
  #isReady = false;
  #draftCount = 0;

  constructor(webview: vscode.Webview, options: ChatPageOptions) {
    this.#options = options;
    this.#webview = webview;
    this.#stream = new RedactingStream(options.keys);
    webview.options = webviewOptions(options.extensionUri);
    webview.onDidReceiveMessage((message: unknown) => this.#receive(message));
    this.load();
  }

  get place(): PagePlace {
    return this.#options.place;
  }

  /** True when the page has its snapshot and gets updates. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** The `count` of its last draft; 0 if it has sent none since it was loaded. */
  get draftCount(): number {
    return this.#draftCount;
  }

  load(): void {
    this.#webview.html = panelHtml(this.#webview, this.#options.extensionUri, 'main', this.place === 'editor');
  }

  /** Call when the page was closed or hidden. When it is shown again it loads anew and asks for a snapshot. */
  suspend(): void {
    this.#isReady = false;
    this.#batcher.clear();
  }

  event(event: Event): void {
    for (const redacted of this.#stream.take(event)) this.#batcher.push(this.images.ofEvent(redacted));
  }

  /** The thread as the page gets it; updates follow from here on. */
  begin(state: ThreadState | null): { readonly thread: ThreadState | null; readonly earlierTurns: number } {
    this.#batcher.clear();
    this.#isReady = true;
    return state === null
      ? { thread: null, earlierTurns: 0 }
      : snapshotOf(this.images.ofThread(this.#stream.begin(state)));
  }

  sendEarlier(turns: readonly TurnState[], before: string): void {
    const shown = this.images.ofTurns(turns);
    const end = shown.findIndex((turn) => turn.id === before);
    if (end > 0) this.post({ type: 'earlier', ...pageOfTurns(shown, end) });
  }

  /** The address of the folder whose pictures answers may refer to. */
  imageRoot(): string | undefined {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    if (folder === undefined || !vscode.workspace.isTrusted) return undefined;
    return this.#webview.asWebviewUri(folder.uri).toString();
  }

  post(message: PanelUpdate): void {
    const { build, keys } = this.#options;
    const stamped = { ...message, build };
    void this.#webview.postMessage(keys.isEmpty ? stamped : mapTexts(stamped, (text) => keys.hide(text)));
  }

  #receive(raw: unknown): void {
    const parsed = webviewMessageSchema.safeParse(raw);
    if (!parsed.success) {
      return this.#options.log('warn', `The panel sent an unknown message: ${parsed.error.message}`);
    }
    if (parsed.data.type === 'ready') this.#draftCount = 0;
    if (parsed.data.type === 'draft') this.#draftCount = parsed.data.count;
    this.#options.receive(parsed.data, this);
  }
}

/** Returns the options of every page of the panel. */
export function webviewOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
  return {
    enableScripts: true,
    // Pictures of the workspace, to which answers refer.
    localResourceRoots: [
      vscode.Uri.joinPath(extensionUri, 'dist', 'webview'),
      ...(vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri),
    ],
  };
}
