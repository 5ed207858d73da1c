/** Mentions of the composer: look-ups for its list, and the content of mentions when a message is sent. */
import type { MessageTarget } from '../../core/agent/shownThread.ts';
import type { NameGuard, ReadRefusals } from '../../core/tools/files/readGuard.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import * as vscode from 'vscode';
import type { Attachment } from '../../protocol/draft.ts';
import type { Mention, UserInput } from '../../protocol/item.ts';
import type { PanelUpdate } from '../../protocol/wire.ts';
import { uriOf } from '../workspace/places.ts';
import { attachableFiles } from './attachFiles.ts';
import { mentionOfLines, RecentFiles, selectionMention } from './editorPlaces.ts';
import { FileIndex } from './fileIndex.ts';
import { type CopyChanges, fillMentions, type FillMentionsDeps, isUnfilled } from './fillMentions.ts';
import { contextRows, findMentions, type MentionableResource, type MentionableThread } from './findMentions.ts';
import { type FailedCommand, TerminalOutput } from './terminalOutput.ts';

export interface MentionsDeps {
  /** Shows the panel. */
  readonly reveal: () => Promise<void>;
  /** Resolves to the guard under the current settings, for rows, which show no content. */
  readonly guard: () => Promise<NameGuard>;
  readonly refusals: ReadRefusals;
  /** See `FillMentionsDeps.redact`. */
  readonly redact: FillMentionsDeps['redact'];
  /** Threads of this workspace, the newest first, without the shown one. */
  readonly threads: () => Promise<readonly MentionableThread[]>;
  readonly exportThread: (threadId: string) => Promise<string | undefined>;
  /** Resources of the running MCP servers. */
  readonly resources: (signal: AbortSignal) => Promise<readonly MentionableResource[]>;
  /** The text of one of them; `undefined` when it has none. @throws Error with the reason */
  readonly readResource: (id: string, signal: AbortSignal) => Promise<string | undefined>;
  /** See `FillMentionsDeps.copyChanges`. `threadId`: absent for a new thread. */
  readonly copyChanges: (threadId: string | undefined) => CopyChanges | undefined;
  /** Files that the shown thread has changed in its side copy, `null` while they are counted; `undefined`: it has none. */
  readonly changedInCopy: () => number | null | undefined;
  readonly post: (message: PanelUpdate) => void;
  /** Sent with the next snapshot where the panel is not shown yet. */
  readonly postWhenReady: (message: PanelUpdate) => void;
  readonly report: (error: unknown) => void;
}

interface DroppedFile {
  /** Its name without a folder. */
  readonly name: string;
  /** Two files may have one name. */
  readonly id: string;
  readonly text: string;
}

/** Open and recent files in the menu of the + button. */
const MAX_OPEN = 20;
/** Debounces typing. */
const REST_MS = 40;
/** Debounces changes of the selection. */
const SELECTION_REST_MS = 120;
/** Maximum wait of a message for its mentions. */
const FILL_MS = 15_000;

export class Mentions implements Disposable {
  readonly #deps: MentionsDeps;
  readonly #store = new DisposableStore();
  readonly #index = this.#store.add(new FileIndex());
  readonly #recent = this.#store.add(new RecentFiles());
  readonly #terminals = this.#store.add(new TerminalOutput());
  #search = new AbortController();
  #selectionTimer: NodeJS.Timeout | undefined;
  /** The selection that the panel has, as JSON. */
  #shownSelection = 'null';
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: MentionsDeps) {
    this.#deps = deps;
    const changed = () => {
      clearTimeout(this.#selectionTimer);
      this.#selectionTimer = setTimeout(() => void this.postSelection().catch(deps.report), SELECTION_REST_MS);
    };
    this.#store.add(vscode.window.onDidChangeTextEditorSelection(changed));
    this.#store.add(vscode.window.onDidChangeActiveTextEditor(changed));
  }

  /** The last command in a terminal that has failed. */
  get failedCommand(): FailedCommand | undefined {
    return this.#terminals.lastFailed;
  }

  /** Posts the selected lines to the panel when they have changed, and always when the panel is new. */
  async postSelection({ isNewPanel = false } = {}): Promise<void> {
    const mention = selectionMention(vscode.window.activeTextEditor) ?? null;
    const mayRead = mention === null || (await this.#refusal(mention.path)) === undefined;
    const selection = mayRead ? mention : null;
    const text = JSON.stringify(selection);
    if (text === this.#shownSelection && !isNewPanel) return;
    this.#shownSelection = text;
    this.#deps.post({ type: 'selection', mention: selection });
  }

  /** Attaches the selected lines, or the line of the cursor, to the message. */
  async attachSelection(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const line = (editor?.selection.active.line ?? 0) + 1;
    const part = selectionMention(editor) ?? (editor && mentionOfLines(editor.document, { first: line, last: line }));
    if (part === undefined) {
      return void vscode.window.showInformationMessage(vscode.l10n.t('Put the cursor into a file to add its lines.'));
    }
    await this.#attachLines(part);
  }

  /** Attaches what is in the active editor; where that is no file, the user selects what to attach. */
  async attachActive(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const all = { first: 1, last: document?.lineCount ?? 1 };
    const part = document?.isUntitled ? mentionOfLines(document, all) : undefined;
    if (part !== undefined) return this.#attachLines(part);
    const { fs } = vscode.workspace;
    // VS Code knows no file system for a scheme without files, such as that of output.
    if (document === undefined || fs.isWritableFileSystem(document.uri.scheme) === undefined) return this.pick();
    await this.attach([document.uri]);
  }

  async #attachLines(part: Mention): Promise<void> {
    const refused = await this.#refusal(part.path);
    if (refused !== undefined) return void vscode.window.showWarningMessage(refused);
    await this.insert([{ part, inText: false }]);
  }

  /** Attaches files and folders; images as images. */
  async attach(uris: readonly vscode.Uri[]): Promise<void> {
    const { attachments, images, refused } = await attachableFiles(uris, (file) => this.#refusal(file));
    if (refused.length > 0) void vscode.window.showWarningMessage(refused.join('\n'));
    if (attachments.length + images.length === 0) return;
    await this.insert(attachments);
    for (const image of images) this.#deps.postWhenReady({ type: 'image_file', ...image });
  }

  /** Attaches the text of a file from outside of VS Code, unless a file of this name may not be read. */
  async attachCopy({ name, id, text }: DroppedFile): Promise<void> {
    const refused = (await this.#deps.guard())([name]);
    if (refused !== undefined) return void vscode.window.showWarningMessage(refused);
    await this.insert([{ part: { type: 'mention', kind: 'file', name, path: '', id, text }, inText: false }]);
  }

  /** The menu of the + button. */
  async pick(): Promise<void> {
    const guard = await this.#deps.guard();
    const refusal = (path: string) => guard([path]);
    const context = contextRows('', { terminals: this.#terminals, refusal, changedInCopy: this.#deps.changedInCopy() });
    const open = this.#recent.paths.filter((path) => refusal(path) === undefined).slice(0, MAX_OPEN);
    const files = { label: vscode.l10n.t('Files, Folders and Images…'), run: () => this.#pickFiles() };
    const picked = await vscode.window.showQuickPick(
      [
        files,
        ...context.map(({ mention, label, detail }) => ({
          label,
          description: detail,
          run: () => this.insert([{ part: mention, inText: false }]),
        })),
        ...open.map((path) => ({
          label: vscode.workspace.asRelativePath(path),
          description: vscode.l10n.t('open or recent'),
          run: () => this.attach([uriOf(path)]),
        })),
      ],
      {
        title: vscode.l10n.t('Add Context'),
        placeHolder: vscode.l10n.t('@ in the composer finds all files, folders and symbols'),
        matchOnDescription: true,
      },
    );
    await picked?.run();
  }

  async #pickFiles(): Promise<void> {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const uris = await vscode.window.showOpenDialog({
      canSelectMany: true,
      canSelectFiles: true,
      openLabel: vscode.l10n.t('Add to Tiller'),
      ...(folder && { defaultUri: folder.uri }),
    });
    if (uris !== undefined) await this.attach(uris);
  }

  /**
   * Adds to the message that is being written, and shows the panel. In this order: a user who types and sends as soon as the
   * composer has the focus sends what was added.
   */
  async insert(attachments: readonly Attachment[], text = ''): Promise<void> {
    this.#deps.postWhenReady({ type: 'insert_text', text, attachments });
    await this.#deps.reveal();
  }

  /** Posts rows for a query, in parts. Cancels the query before it. */
  find(id: number, query: string): void {
    this.close();
    const { signal } = (this.#search = new AbortController());
    this.#timer = setTimeout(() => {
      this.#find(id, query, signal).catch((error: unknown) => {
        if (signal.aborted) return;
        this.#deps.report(error);
        this.#deps.post({ type: 'mentions_found', id, rows: [], isLast: true });
      });
    }, REST_MS);
  }

  /** Cancels the running query. */
  close(): void {
    clearTimeout(this.#timer);
    this.#search.abort();
  }

  /** Reads the mentions of a message to this thread; `undefined` where there are none to read. */
  fill(input: readonly UserInput[], target: MessageTarget): Promise<readonly UserInput[]> | undefined {
    return input.some(isUnfilled) ? this.#filled(input, target) : undefined;
  }

  dispose(): void {
    this.close();
    clearTimeout(this.#selectionTimer);
    this.#store.dispose();
  }

  async #find(id: number, query: string, signal: AbortSignal): Promise<void> {
    const guard = await this.#deps.guard();
    const found = findMentions(
      query,
      {
        index: this.#index,
        recent: this.#recent,
        terminals: this.#terminals,
        threads: this.#deps.threads,
        resources: this.#deps.resources,
        refusal: (path) => guard([path]),
        changedInCopy: this.#deps.changedInCopy(),
      },
      signal,
    );
    for await (const rows of found) {
      if (signal.aborted) return;
      this.#deps.post({ type: 'mentions_found', id, rows, isLast: false });
    }
    if (!signal.aborted) this.#deps.post({ type: 'mentions_found', id, rows: [], isLast: true });
  }

  async #refusal(file: string): Promise<string | undefined> {
    return (await this.#deps.refusals([file])).get(file);
  }

  async #filled(input: readonly UserInput[], { threadId }: MessageTarget): Promise<readonly UserInput[]> {
    const deps = {
      terminals: this.#terminals,
      redact: this.#deps.redact,
      exportThread: this.#deps.exportThread,
      readResource: this.#deps.readResource,
      refusals: this.#deps.refusals,
      copyChanges: this.#deps.copyChanges(threadId),
    };
    return fillMentions(input, deps, AbortSignal.timeout(FILL_MS));
  }
}
