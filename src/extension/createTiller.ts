/** The last part of the extension: what runs at its start, and the services that commands call. */
import type * as vscode from 'vscode';
import type { DisposableStore } from '../core/util/disposable.ts';
import { prepareHome } from '../node/storage/home.ts';
import { sweepProcesses } from '../node/process/processRecord.ts';
import { sweepSandboxes } from '../node/sandbox/sweep.ts';
import type { ChatView } from '../vscode/chat/chatView.ts';
import { ModelCommands } from '../vscode/models/modelCommands.ts';
import type { UsedModels } from '../vscode/models/usedModels.ts';
import { showMemories } from '../vscode/threads/showMemories.ts';
import { toggleOtherPrograms } from '../vscode/changeReview/otherPrograms.ts';
import { openProposal } from '../vscode/proposals/openChange.ts';
import { reportIssue } from '../vscode/support/reportIssue.ts';
import type { OfferedTools } from '../vscode/languageModelTools/offeredTools.ts';
import type { CommandTargets } from './commands.ts';
import type { Agent } from './createAgent.ts';
import type { Editors } from './createEditors.ts';
import type { Host } from './createHost.ts';
import type { Panel } from './createPanel.ts';
import { followSettings } from './followSettings.ts';

declare const TILLER_VERSION: string;

export interface Tiller extends CommandTargets {
  readonly view: ChatView;
  readonly offeredTools: OfferedTools;
  /** Logs an error. */
  readonly report: (error: unknown) => void;
  /** Stops and records running work. */
  dispose(): Promise<void>;
}

interface Parts {
  readonly host: Host;
  readonly editors: Editors;
  readonly agent: Agent;
  readonly used: UsedModels;
  readonly panel: Panel;
}

export function createTiller(
  context: vscode.ExtensionContext,
  { host, editors, agent, used, panel }: Parts,
  store: DisposableStore,
): Tiller {
  const { settings, report, node } = host;
  const { threads, demo } = agent;

  followSettings(host, editors, agent, panel, store);
  panel.recovery.look().catch(report);
  editors.review.restore().catch(report);
  sweepProcesses(node.storage.home).catch(report);
  prepareHome(node.storage.home)
    .then((problem) => {
      if (problem !== undefined) host.tell(new Error(problem));
    })
    .catch(report);
  sweepSandboxes(node.storage.home, node.locks).catch(report);

  return {
    ...panel,
    report,
    proposals: editors.proposalTabs,
    openProposal: () => openProposal(editors.proposalTabs.active, threads.state, editors.proposalTabs),
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
      spent: () => agent.service.spent(),
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
      host.windowState.close();
      // A window that reloads may not wait for the threads.
      await Promise.all([editors.review.close(), threads.close()]);
      await agent.mcp.servers.close();
      await editors.review.close();
      await agent.service.memoriesWritten();
      store.dispose();
      await demo.dispose();
      host.channel.dispose();
    },
  };
}
