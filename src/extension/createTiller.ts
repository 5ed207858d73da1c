/** Connects the parts of the extension: what follows a change of settings, and the services that commands call. */
import * as vscode from 'vscode';
import type { DisposableStore } from '../core/util/disposable.ts';
import { prepareHome } from '../node/storage/home.ts';
import { sweepProcesses } from '../node/process/processRecord.ts';
import { sweepSandboxes } from '../node/sandbox/sweep.ts';
import { DEMO_PROVIDER, providerNamed, providerNames } from '../protocol/knownProviders.ts';
import type { ChatView } from '../vscode/chat/chatView.ts';
import { ModelCommands } from '../vscode/models/modelCommands.ts';
import type { UsedModels } from '../vscode/models/usedModels.ts';
import { showMemories } from '../vscode/threads/showMemories.ts';
import { toggleOtherPrograms } from '../vscode/changeReview/otherPrograms.ts';
import { openProposal } from '../vscode/proposals/openChange.ts';
import { onSettingsChanged } from '../vscode/settings.ts';
import { reportIssue } from '../vscode/support/reportIssue.ts';
import type { OfferedTools } from '../vscode/languageModelTools/offeredTools.ts';
import { contextKey } from '../vscode/ui/contextKey.ts';
import type { CommandTargets } from './commands.ts';
import type { Agent } from './createAgent.ts';
import type { Editors } from './createEditors.ts';
import type { Host } from './createHost.ts';
import type { Panel } from './createPanel.ts';

declare const TILLER_VERSION: string;

/** Time limit for a local server to describe its models. */
const LEARN_WITHIN_MS = 5000;

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
  const { threads, demo, factory } = agent;

  // A local server knows the window of a model once it has loaded it.
  const learnWindow = () => {
    const server = agent.inUse();
    if (server && server.model !== '') agent.http.learn(server.provider, server.model, LEARN_WITHIN_MS).catch(report);
  };
  store.add(
    threads.onEvent(({ event }) => {
      if (event.msg.type === 'turn_completed') learnWindow();
    }),
  );
  const setHasModel = contextKey<boolean>('tiller.hasModel');
  const refresh = () => {
    const read = settings();
    const { model, provider, baseUrl, reviewQuickDiff, reviewOtherPrograms, comments } = read;
    const servers = providerNames(read).flatMap((name) => providerNamed(read, name)?.baseUrl ?? []);
    host.keys.learn([...servers, ...(baseUrl === null ? [] : [baseUrl])]).catch(report);
    const hasModel = model !== null || provider === DEMO_PROVIDER;
    setHasModel(hasModel);
    if (hasModel) panel.walkthrough.note('model');
    panel.view.sendSettings();
    editors.review.showQuickDiff(reviewQuickDiff);
    panel.findings.isOn = comments !== 'off';
    panel.comments.mode = comments;
    agent.otherPrograms.isOn = reviewOtherPrograms;
    threads.modelMayBeThere().catch(report);
    agent.mcp.controller.refresh().catch(report);
    learnWindow();
  };
  store.add(onSettingsChanged(refresh));
  store.add(
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      // A thread that was started before trust was granted has a working directory outside of the workspace.
      if (threads.state)
        void threads.submit({ type: 'override_turn_context', cwd: factory.settings.cwd }).catch(report);
      refresh();
      panel.rules.announceProposals().catch(report);
    }),
  );
  store.add(vscode.workspace.onDidChangeWorkspaceFolders(refresh));
  refresh();
  panel.rules.announceProposals().catch(report);
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
