import * as vscode from 'vscode';
import { type ExternalCall, type ExternalTool, ExternalToolRegistry } from '../../core/tools/external/registry.ts';
import { dataNote } from '../../core/tools/toolContent.ts';
import type { Disposable } from '../../core/util/disposable.ts';
import { sha256 } from '../../core/util/canonical.ts';
import { shortened } from '../../protocol/text/truncate.ts';
import type { ToolContentItem } from '../../protocol/item.ts';
import type { Settings } from '../../protocol/settings.ts';
import { writeSetting } from '../settings.ts';
import { withoutIcons } from '../ui/escapeUiText.ts';
import { withToken } from '../ui/withToken.ts';

/** VS Code does not report which extension has a tool; the tool's name shows it. */
const OWNER = { owner: 'vscode.lm', ownerName: 'VS Code' };
/** Milliseconds: VS Code may ask the user in this time. */
const TIMEOUT_MS = 600_000;
const MAX_DETAIL = 300;

/** The tools that other extensions offer by `vscode.lm`, as far as the setting `languageModelTools` names them. */
export class LanguageModelTools {
  readonly registry = new ExternalToolRegistry();
  readonly #settings: () => Pick<Settings, 'languageModelTools'>;
  readonly #isOurs: (name: string) => boolean;
  /** By name and a hash of VS Code's description. */
  readonly #registered = new Map<string, Disposable>();

  /** `isOurs`: tools of Tiller, which the model has already. */
  constructor(settings: () => Pick<Settings, 'languageModelTools'>, isOurs: (name: string) => boolean) {
    this.#settings = settings;
    this.#isOurs = isOurs;
  }

  /** Registers the present tools. Called before each turn, because VS Code has no event for it. */
  sync(): void {
    const wanted = new Set(this.#settings().languageModelTools);
    const tools = this.#available.filter(({ name }) => wanted.has(name));
    const keyed = new Map(tools.map((tool) => [keyOf(tool), tool]));
    for (const [key, registered] of this.#registered) {
      if (keyed.has(key)) continue;
      registered.dispose();
      this.#registered.delete(key);
    }
    for (const [key, tool] of keyed) {
      if (!this.#registered.has(key)) this.#registered.set(key, this.registry.register(externalOf(tool)));
    }
  }

  /** "Select Tools from Other Extensions": switches them on and off one by one. */
  async choose(): Promise<void> {
    const { languageModelTools: on } = this.#settings();
    const items = this.#available.map(({ name, description }) => ({
      label: withoutIcons(name),
      detail: withoutIcons(shortened(description, MAX_DETAIL)),
      picked: on.includes(name),
      name,
    }));
    if (items.length === 0) {
      const none = vscode.l10n.t(
        'No extension offers a tool in VS Code. Install one that does, such as an extension for a database.',
      );
      await vscode.window.showInformationMessage(none);
      return;
    }
    const chosen = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t('Tools from Other Extensions'),
      placeHolder: vscode.l10n.t(
        'Select the tools that Tiller may offer to the model. Each asks before it runs, until you allow it.',
      ),
      canPickMany: true,
      matchOnDetail: true,
    });
    if (chosen === undefined) return;
    // Names that are not there now belong to extensions that are not active, and stay on.
    const absent = on.filter((name) => items.every((item) => item.name !== name));
    await writeSetting('languageModelTools', [...absent, ...chosen.map(({ name }) => name)]);
  }

  get #available(): readonly vscode.LanguageModelToolInformation[] {
    return vscode.lm.tools.filter(({ name }) => !this.#isOurs(name));
  }
}

function keyOf({ name, description, inputSchema }: vscode.LanguageModelToolInformation): string {
  return sha256([name, description, inputSchema ?? null]);
}

function externalOf({ name, description, inputSchema }: vscode.LanguageModelToolInformation): ExternalTool {
  return {
    ...OWNER,
    name,
    description,
    inputSchema: { type: 'object', ...inputSchema },
    timeoutMs: TIMEOUT_MS,
    invoke: (input, call) => invoke(name, input, call),
  };
}

/** Invokes a tool without a chat request: VS Code asks in a dialog where the tool wants that. */
async function invoke(name: string, input: object, { signal }: ExternalCall): Promise<readonly ToolContentItem[]> {
  const run = (token: vscode.CancellationToken) =>
    vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, token);
  try {
    return (await withToken(signal, run)).content.map(partOf);
  } catch (error) {
    if (signal.aborted || !isCancellation(error)) throw error;
    throw new Error(
      'it was cancelled. The user may have said no to the question that the tool asks in VS Code. Do not call it again unless the user asks for it.',
      { cause: error },
    );
  }
}

/** True for the error of VS Code for what was cancelled, which has lost its class on the way from another process. */
function isCancellation(error: unknown): boolean {
  return error instanceof Error && (error instanceof vscode.CancellationError || error.name === 'Canceled');
}

/** Parts with data exist since VS Code 1.106, so they are known by their shape. */
function partOf(part: unknown): ToolContentItem {
  if (part instanceof vscode.LanguageModelTextPart) return { type: 'input_text', text: part.value };
  if (part instanceof vscode.LanguageModelPromptTsxPart)
    return { type: 'input_text', text: JSON.stringify(part.value) };
  if (isData(part)) {
    const { data, mimeType } = part;
    if (mimeType.startsWith('image/')) {
      return { type: 'input_image', imageUrl: `data:${mimeType};base64,${Buffer.from(data).toString('base64')}` };
    }
    if (/^text\/|json$/.test(mimeType)) return { type: 'input_text', text: new TextDecoder().decode(data) };
    return { type: 'input_text', text: dataNote(data, mimeType) };
  }
  return { type: 'input_text', text: JSON.stringify(part) ?? '' };
}

function isData(part: unknown): part is { readonly data: Uint8Array; readonly mimeType: string } {
  if (typeof part !== 'object' || part === null || !('data' in part) || !('mimeType' in part)) return false;
  return part.data instanceof Uint8Array && typeof part.mimeType === 'string';
}
