/**
 * The object graph of the extension: the one place where core meets its ports in VS Code and in Node. Loaded when Tiller
 * is first used (docs/decisions/0007). Its parts are imported by `import()` only: 0069.
 */
import { setImmediate } from 'node:timers/promises';
import type * as vscode from 'vscode';
import { ExternalToolRegistry } from '../core/tools/external/registry.ts';
import { DisposableStore } from '../core/util/disposable.ts';
import type { Tiller } from './createTiller.ts';

/**
 * `tools`: those that other extensions have registered and will register. When it rejects, all registrations are
 * removed, so that it can be called again. Each part is evaluated and made in turns of the event loop of its own, because
 * the thread serves other extensions, too.
 */
export async function compose(context: vscode.ExtensionContext, tools = new ExternalToolRegistry()): Promise<Tiller> {
  const store = new DisposableStore();
  try {
    return await build(context, tools, store);
  } catch (error) {
    store.dispose();
    throw error;
  }
}

/** Resolves with the result of `step`, with which a turn of the event loop begins. */
async function inOwnTurn<T>(step: () => T): Promise<Awaited<T>> {
  await setImmediate();
  return await step();
}

async function build(
  context: vscode.ExtensionContext,
  tools: ExternalToolRegistry,
  store: DisposableStore,
): Promise<Tiller> {
  const { createHost } = await inOwnTurn(() => import('./createHost.ts'));
  const host = await inOwnTurn(() => createHost(context, store));
  const { createEditors } = await inOwnTurn(() => import('./createEditors.ts'));
  const editors = await inOwnTurn(() => createEditors(context, host, store));
  const { prepareSandbox } = await inOwnTurn(() => import('../node/sandbox/support.ts'));
  const sandboxTried = prepareSandbox();
  const { createAgent } = await inOwnTurn(() => import('./createAgent.ts'));
  await sandboxTried;
  const agent = await inOwnTurn(() => createAgent(context, host, editors, tools, store));
  const { createPanel } = await inOwnTurn(() => import('./createPanel.ts'));
  const { UsedModels } = await import('../vscode/models/usedModels.ts');
  const used = new UsedModels(context.globalState);
  const panel = await inOwnTurn(() => createPanel(context, host, editors, agent, used, store));
  const { createTiller } = await inOwnTurn(() => import('./createTiller.ts'));
  return inOwnTurn(() => createTiller(context, { host, editors, agent, used, panel }, store));
}
