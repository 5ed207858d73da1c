import * as vscode from 'vscode';
import type { McpServers } from '../../core/mcp/mcpServers.ts';
import { completeArgument, expandPrompt, listPrompts, type ServerPrompt } from '../../core/mcp/prompts.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { PromptRow } from '../../protocol/wire.ts';
import { withoutIcons } from '../ui/escapeUiText.ts';

export interface McpPromptsDeps {
  readonly servers: McpServers;
  /** To the panel. */
  readonly post: (rows: readonly PromptRow[]) => void;
  /** Adds to the draft: the user sees the text before it is sent. */
  readonly insertText: (text: string) => void;
  readonly report: (error: unknown) => void;
}

/** The prompts of MCP servers, as slash commands of the composer. */
export class McpPrompts implements Disposable {
  readonly #deps: McpPromptsDeps;
  readonly #store = new DisposableStore();
  #listing = new AbortController();
  /** The prompts that the panel has, as JSON. */
  #shown = '[]';

  constructor(deps: McpPromptsDeps) {
    this.#deps = deps;
    this.#store.add(deps.servers.onChange(() => this.post()));
  }

  /** Posts the prompts to the panel when they have changed, and always when the panel is new. */
  post({ isNewPanel = false } = {}): void {
    this.#listing.abort();
    const { signal } = (this.#listing = new AbortController());
    if (isNewPanel) this.#shown = '';
    this.#post(signal).catch((error: unknown) => signal.aborted || this.#deps.report(error));
  }

  /** Asks for the arguments of a prompt, and adds its text to the draft. @throws Error with a sentence for the user */
  async use({ server, name }: Pick<PromptRow, 'server' | 'name'>): Promise<void> {
    const { servers, insertText } = this.#deps;
    const { signal } = new AbortController();
    const prompt = (await listPrompts(servers, signal)).find(
      (candidate) => candidate.server === server && candidate.name === name,
    );
    if (prompt === undefined)
      throw new Error(vscode.l10n.t('{0} does not have the prompt {1} any more.', server, name));
    const args = await this.#argumentsOf(prompt);
    if (args === undefined) return;
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Getting {0} from {1}', name, server),
      cancellable: true,
    };
    const text = await vscode.window.withProgress(options, async (_progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort(new Error('Cancelled.')));
      try {
        return await expandPrompt(servers, prompt, args, abort.signal);
      } catch (error) {
        if (abort.signal.aborted) return undefined;
        throw error;
      }
    });
    if (text !== undefined) insertText(text);
  }

  dispose(): void {
    this.#listing.abort();
    this.#store.dispose();
  }

  async #post(signal: AbortSignal): Promise<void> {
    const prompts = await listPrompts(this.#deps.servers, signal);
    const rows = prompts.map(({ server, name, title, description }) => ({
      server,
      name,
      help: description ?? title ?? '',
    }));
    const shown = JSON.stringify(rows);
    if (signal.aborted || shown === this.#shown) return;
    this.#shown = shown;
    this.#deps.post(rows);
  }

  /** `undefined` when the user cancels. */
  async #argumentsOf(prompt: ServerPrompt): Promise<Readonly<Record<string, string>> | undefined> {
    const args: Record<string, string> = {};
    for (const [index, argument] of prompt.arguments.entries()) {
      const value = await this.#ask(prompt, argument, index, args);
      if (value === undefined) return undefined;
      if (value !== '') args[argument.name] = value;
    }
    return args;
  }

  /** Shows a list of the typed text and of the server's values for it. */
  #ask(
    prompt: ServerPrompt,
    { name, description = '', required }: ServerPrompt['arguments'][number],
    index: number,
    args: Readonly<Record<string, string>>,
  ): Promise<string | undefined> {
    const picker = vscode.window.createQuickPick();
    const store = new DisposableStore();
    store.add(picker);
    picker.title = vscode.l10n.t('{0}: {1}', prompt.name, name);
    picker.placeholder = description === '' ? name : description;
    picker.step = index + 1;
    picker.totalSteps = prompt.arguments.length;
    picker.ignoreFocusOut = true;
    let completing = new AbortController();
    const show = (known: readonly string[]) => {
      const { value } = picker;
      const typed = value === '' && required ? [] : [{ label: value, description: typedText(value), alwaysShow: true }];
      const others = known.filter((other) => other !== value);
      picker.items = [
        ...typed,
        ...others.map((other) => ({ label: withoutIcons(other), value: other, alwaysShow: true })),
      ];
    };
    const complete = async () => {
      completing.abort();
      const { signal } = (completing = new AbortController());
      show([]);
      picker.busy = true;
      try {
        const known = await completeArgument(this.#deps.servers, prompt, { name, value: picker.value }, args, signal);
        if (!signal.aborted) show(known);
      } catch (error) {
        if (!signal.aborted) this.#deps.report(error);
      } finally {
        if (!signal.aborted) picker.busy = false;
      }
    };
    return new Promise((resolve) => {
      const end = (value: string | undefined) => {
        completing.abort();
        store.dispose();
        resolve(value);
      };
      store.add(picker.onDidChangeValue(() => void complete()));
      store.add(
        picker.onDidAccept(() => {
          const [chosen] = picker.selectedItems as readonly (vscode.QuickPickItem & { readonly value?: string })[];
          const value = chosen?.value ?? picker.value;
          if (value !== '' || !required) end(value);
        }),
      );
      store.add(picker.onDidHide(() => end(undefined)));
      void complete();
      picker.show();
    });
  }
}

function typedText(value: string): string {
  return value === '' ? vscode.l10n.t('Leave it out') : vscode.l10n.t('As typed');
}
