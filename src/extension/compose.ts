/**
 * The object graph of the extension: the one place where core meets its ports in VS Code and in Node. Loaded when Tiller
 * is first used (docs/decisions/0007).
 */
import type * as vscode from 'vscode';
import { ExternalToolRegistry } from '../core/tools/external/registry.ts';
import { DisposableStore } from '../core/util/disposable.ts';
import { prepareHome } from '../node/storage/home.ts';
import { sweepProcesses } from '../node/process/processRecord.ts';
import { sweepSandboxes } from '../node/sandbox/sweep.ts';
import type { ChatView } from '../vscode/chat/chatView.ts';
import { ModelCommands } from '../vscode/models/modelCommands.ts';
import { UsedModels } from '../vscode/models/usedModels.ts';
import { showMemories } from '../vscode/threads/showMemories.ts';
import { toggleOtherPrograms } from '../vscode/changeReview/otherPrograms.ts';
import { openProposal } from '../vscode/proposals/openChange.ts';
import { reportIssue } from '../vscode/support/reportIssue.ts';
import type { OfferedTools } from '../vscode/languageModelTools/offeredTools.ts';
import type { CommandTargets } from './commands.ts';
import { createAgent } from './createAgent.ts';
import { createEditors } from './createEditors.ts';
import { createHost } from './createHost.ts';
import { createPanel } from './createPanel.ts';
import { followSettings } from './followSettings.ts';

export { prepareSandbox } from '../node/sandbox/support.ts';

declare const TILLER_VERSION: string;

export interface Tiller extends CommandTargets {
  readonly view: ChatView;
  readonly offeredTools: OfferedTools;
  /** Logs an error. */
  readonly report: (error: unknown) => void;
  /** Stops and records running work. */
  dispose(): Promise<void>;
}

/**
 * `tools`: those that other extensions have registered and will register. When it throws, all registrations are
 * removed, so that it can be called again. Await `prepareSandbox` before: otherwise this call blocks while it tries the
 * sandbox.
 */
export function compose(context: vscode.ExtensionContext, tools = new ExternalToolRegistry()): Tiller {
  const store = new DisposableStore();
  try {
    return build(context, tools, store);
  } catch (error) {
    store.dispose();
    throw error;
  }
}

function build(context: vscode.ExtensionContext, tools: ExternalToolRegistry, store: DisposableStore): Tiller {
  const host = createHost(context, store);
  const editors = createEditors(context, host, store);
  const agent = createAgent(context, host, editors, tools, store);
  const used = new UsedModels(context.globalState);
  const panel = createPanel(context, host, editors, agent, used, store);
  const { settings, report, node } = host;
  const { threads, demo } = agent;

  followSettings(host, editors, agent, panel, store);
  panel.recovery.look().catch(report);
  editors.review.restore().catch(report);
  sweepProcesses(node.storage.home).catch(report);
  prepareHome(node.storage.home)
    .then((problem) => {
      if (problem !== undefined) panel.tell(new Error(problem));
    })
    .catch(report);
  sweepSandboxes(node.storage.home, node.locks).catch(report);

  return {
    ...panel,
    report,
    proposals: editors.proposals,
    openProposal: () => openProposal(editors.proposals.active, threads.state, editors.proposals),
    undoPatch: (id) => editors.undo.undo(id),
    review: editors.review.commands,
    toggleOtherPrograms,
    models: new ModelCommands({
      settings,
      used,
      inUse: agent.inUse,
      keys: host.keys,
      http: agent.http,
      languageModels: agent.languageModels,
      clock: node.clock,
      environment: node.host.environment,
      threads,
    }),
    showMemories: () =>
      showMemories({ ...agent.ports, home: node.storage.home, isOn: () => settings()['memory.enabled'] }),
    hooks: agent.hooks,
    lmTools: agent.lmTools,
    offeredTools: agent.offeredTools,
    agents: agent.agentCommands,
    skills: agent.skillCommands,
    mcp: agent.mcp.commands,
    showLog: () => host.channel.show(true),
    reportIssue: () =>
      reportIssue({
        version: TILLER_VERSION,
        issuesUrl: context.extension.packageJSON.bugs.url,
        settings,
        current: agent.current,
        logTail: () => host.log.tail(),
        redact: (text) => host.redactor.redact(text).replaceAll(node.host.homeDirectory, '~'),
      }),
    dispose: async () => {
      // A window that reloads may not wait for the threads.
      await Promise.all([editors.review.close(), threads.close()]);
      await agent.mcp.servers.close();
      await editors.review.close();
      await agent.manager.memoriesWritten();
      store.dispose();
      await demo.dispose();
      host.channel.dispose();
    },
  };
}
