import * as vscode from 'vscode';
import type { Tiller } from './extension/createTiller.ts';
import { ExternalToolRegistry } from './core/tools/external/registry.ts';
import { onFirstUse } from './core/util/onFirstUse.ts';
import { registerCommands } from './extension/commands.ts';
import { createApi } from './extension/createApi.ts';
import type { OfferedTool } from './vscode/languageModelTools/offeredTools.ts';
import { PanelProvider } from './vscode/chat/panelProvider.ts';
import type { TillerApi } from './extension/tillerApi.ts';

/** Tools of ours for other extensions (docs/tools.md). */
const OFFERED: readonly OfferedTool[] = ['tiller_run_command', 'tiller_apply_patch'];

/** Pending while the extension is composed; a later attempt replaces one that has failed. */
let composed: Promise<Tiller> | undefined;

/**
 * Registers everything that VS Code refers to by name and returns; everything else is loaded when it is first used
 * (docs/design.md decision 16), and again at the next use when that fails. Returns the API for other extensions
 * (docs/api.md).
 */
export function activate(context: vscode.ExtensionContext): TillerApi {
  const tools = new ExternalToolRegistry();
  const make = async () => {
    const { compose } = await import('./extension/compose.ts');
    const made = await compose(context, tools);
    // Not here, where a view that cannot be shown would count as a failure to compose.
    queueMicrotask(() => panel.made(made.view, made.report));
    return made;
  };
  const tiller = onFirstUse(() => {
    composed = make();
    return composed;
  });
  const panel = new PanelProvider(async () => (await tiller()).view);
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider('tiller.chat', panel),
    vscode.window.registerWebviewViewProvider('tiller.chatLeft', panel),
    vscode.window.registerWebviewPanelSerializer('tiller.chatEditor', panel),
    registerCommands(tiller),
    ...OFFERED.map((name) =>
      vscode.lm.registerTool<Record<string, unknown>>(name, {
        invoke: async ({ input }, token) => (await tiller()).offeredTools.invoke(name, input, token),
      }),
    ),
  );
  // The secondary side bar exists since 1.106; before that the view is in the activity bar.
  void vscode.commands.executeCommand('setContext', 'tiller.useActivityBar', !hasSecondarySideBar());
  return createApi(tools);
}

/** Stops and records running work; VS Code waits for it. What is being composed is disposed of when it is complete. */
export async function deactivate(): Promise<void> {
  const made = await composed?.catch(() => undefined);
  await made?.dispose();
}

function hasSecondarySideBar(): boolean {
  const [major = 0, minor = 0] = vscode.version.split('.').map(Number);
  return major > 1 || (major === 1 && minor >= 106);
}
