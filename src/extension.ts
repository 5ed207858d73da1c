import * as vscode from 'vscode';
import type { Tiller } from './extension/compose.ts';
import { ExternalToolRegistry } from './core/tools/external/registry.ts';
import { registerCommands } from './extension/commands.ts';
import { createApi } from './extension/createApi.ts';
import type { OfferedTool } from './vscode/languageModelTools/offeredTools.ts';
import type { TillerApi } from './extension/tillerApi.ts';

/** Tools of ours for other extensions (docs/tools.md). */
const OFFERED: readonly OfferedTool[] = ['tiller_run_command', 'tiller_apply_patch'];

let composed: Promise<Tiller> | undefined;

/**
 * Registers what VS Code refers to by name and returns; everything else is loaded when it is first used (docs/design.md
 * decision 16). Returns the API for other extensions (docs/api.md).
 */
export function activate(context: vscode.ExtensionContext): TillerApi {
  const tools = new ExternalToolRegistry();
  const tiller = () => {
    composed ??= import('./extension/compose.ts').then(({ compose }) => compose(context, tools));
    return composed;
  };
  const provider: vscode.WebviewViewProvider = {
    resolveWebviewView: async (view) => (await tiller()).view.resolveWebviewView(view),
  };
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider('tiller.chat', provider),
    vscode.window.registerWebviewViewProvider('tiller.chatLeft', provider),
    vscode.window.registerWebviewPanelSerializer('tiller.chatEditor', {
      deserializeWebviewPanel: async (panel) => (await tiller()).view.restoreEditor(panel),
    }),
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

/** VS Code waits for this: stops what runs and records it. */
export async function deactivate(): Promise<void> {
  await (await composed)?.dispose();
}

function hasSecondarySideBar(): boolean {
  const [major = 0, minor = 0] = vscode.version.split('.').map(Number);
  return major > 1 || (major === 1 && minor >= 106);
}
