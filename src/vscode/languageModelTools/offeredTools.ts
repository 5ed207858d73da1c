import * as vscode from 'vscode';
import { type OneCallThreadDeps, runOneCall } from '../../core/agent/oneCallThread.ts';
import type { OneCall } from '../../core/model/oneCallModel.ts';

/** Our tools that other extensions call by `vscode.lm`; package.json describes them. */
export type OfferedTool = 'tiller_run_command' | 'tiller_apply_patch';

/** Runs the offered tools: each call is a thread of its own, with Tiller's policy, review, sandbox and audit log. */
export class OfferedTools {
  readonly #deps: OneCallThreadDeps;

  constructor(deps: OneCallThreadDeps) {
    this.#deps = deps;
  }

  /** @throws Error with a sentence; a call that was denied is a result. */
  async invoke(
    tool: OfferedTool,
    input: Readonly<Record<string, unknown>>,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    if (!vscode.workspace.isTrusted)
      throw new Error(vscode.l10n.t('Tiller runs nothing in a workspace that you have not trusted.'));
    const abort = new AbortController();
    const stop = () => abort.abort(new vscode.CancellationError());
    const listener = token.onCancellationRequested(stop);
    if (token.isCancellationRequested) stop();
    try {
      const message = vscode.l10n.t('Another extension calls a tool of Tiller: {0}', tool);
      const output = await runOneCall(callOf(tool, input), message, this.#deps, abort.signal);
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(output)]);
    } finally {
      listener.dispose();
    }
  }
}

/**
 * Passes only the arguments that package.json declares: another extension must not ask to leave the sandbox in the
 * user's name.
 */
function callOf(tool: OfferedTool, { command, workdir, patch }: Readonly<Record<string, unknown>>): OneCall {
  switch (tool) {
    case 'tiller_run_command':
      return { tool: 'shell_command', arguments: { command, ...(workdir === undefined ? {} : { workdir }) } };
    case 'tiller_apply_patch':
      return { tool: 'apply_patch', arguments: { input: patch } };
  }
}
