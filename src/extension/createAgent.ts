import * as vscode from 'vscode';
import type { Ports } from '../core/ports.ts';
import { type ServerInUse, serverInUse } from '../core/agent/serverInUse.ts';
import { providerById, providerOf } from '../core/agent/threadSettings.ts';
import { offeredEfforts, type OfferedEfforts } from '../core/model/abilities.ts';
import { HttpModels } from '../core/model/httpModels.ts';
import type { ModelClientFactory } from '../core/model/modelClientFactory.ts';
import { MessageHistory } from '../core/rollout/messageHistory.ts';
import { resolveSandbox } from '../core/sandbox/resolveSandbox.ts';
import { AgentService } from '../core/agent/agentService.ts';
import { ExternalTools } from '../core/tools/external/externalTools.ts';
import type { ExternalToolRegistry } from '../core/tools/external/registry.ts';
import { Trust } from '../core/trust/trust.ts';
import type { DisposableStore } from '../core/util/disposable.ts';
import { gitFoldersOf } from '../core/util/gitRoot.ts';
import { isBelow } from '../core/util/pathBelow.ts';
import type { McpServers } from '../core/mcp/mcpServers.ts';
import { BUILTIN_ROLES } from '../core/agent/builtinRoles.ts';
import { createAgentFiles } from '../node/agentFiles/createAgentFiles.ts';
import { createSkills } from '../node/skills/createSkills.ts';
import { AgentCommands } from '../vscode/agents/agentCommands.ts';
import { SkillCommands } from '../vscode/skills/skillCommands.ts';
import { createHooks } from '../node/hooks/createHooks.ts';
import { createMcp } from '../node/mcp/createMcpServers.ts';
import { CopyCounts } from '../core/sideCopies/copyCounts.ts';
import { SideCopies } from '../node/sideCopies/sideCopies.ts';
import { sandboxSupport } from '../node/sandbox/support.ts';
import type { RecordedChange } from '../protocol/baseline.ts';
import type { TurnSettings } from '../protocol/event.ts';
import { type InProcessProvider, isInProcess } from '../protocol/knownProviders.ts';
import { HookCommands } from '../vscode/hooks/hookCommands.ts';
import { LanguageModelTools } from '../vscode/languageModelTools/languageModelTools.ts';
import { OfferedTools } from '../vscode/languageModelTools/offeredTools.ts';
import { McpCommands } from '../vscode/mcp/mcpCommands.ts';
import { McpController } from '../vscode/mcp/mcpController.ts';
import { mcpSecretsIn, SignInHandler } from '../vscode/mcp/signIn.ts';
import { McpLogs } from '../vscode/mcp/mcpLogs.ts';
import { ReadOnlyTexts } from '../vscode/ui/readOnlyTexts.ts';
import { agentCopies } from '../vscode/sideCopies/agentCopy.ts';
import { allowsTakeOver } from '../vscode/threads/takeOver.ts';
import { ThreadFactory } from '../vscode/threads/threadFactory.ts';
import { isSubAgent, typedText } from '../core/agent/threadActivity.ts';
import { ShownThread } from '../core/agent/shownThread.ts';
import { OtherPrograms } from '../vscode/changeReview/otherPrograms.ts';
import { withUnsavedText } from '../vscode/apply/unsavedBaseline.ts';
import { closeResolvedProposals } from '../vscode/proposals/openChange.ts';
import type { Editors } from './createEditors.ts';
import type { Host } from './createHost.ts';
import { LanguageModels } from '../vscode/models/languageModels.ts';
import { DemoModels } from './demoModels.ts';

declare const TILLER_VERSION: string;

/** All threads of this window, and their services. */
export interface Agent {
  readonly ports: Ports;
  readonly manager: AgentService;
  readonly http: HttpModels;
  readonly languageModels: LanguageModels;
  readonly demo: DemoModels;
  readonly factory: ThreadFactory;
  readonly sideCopies: SideCopies;
  /** Counts of changed files in the side copies of agents. */
  readonly copyCounts: CopyCounts;
  readonly threads: ShownThread;
  readonly history: MessageHistory;
  readonly otherPrograms: OtherPrograms;
  readonly hooks: HookCommands;
  readonly lmTools: LanguageModelTools;
  readonly offeredTools: OfferedTools;
  readonly agentCommands: AgentCommands;
  readonly skillCommands: SkillCommands;
  readonly mcp: { readonly servers: McpServers; readonly controller: McpController; readonly commands: McpCommands };
  /** The turn settings of the shown thread, or of the next thread if none is shown. */
  readonly current: () => TurnSettings;
  /** The id of the provider of `current`. */
  readonly provider: () => string;
  readonly hasProvider: (id: string) => boolean;
  readonly inUse: () => ServerInUse | undefined;
  readonly efforts: () => OfferedEfforts;
  /** Returns true if images are sent to the current model. */
  readonly takesImages: () => boolean;
}

export function createAgent(
  context: vscode.ExtensionContext,
  host: Host,
  editors: Editors,
  tools: ExternalToolRegistry,
  store: DisposableStore,
): Agent {
  const { node, log, keys, settings, report } = host;
  const baseline = node.baseline && withUnsavedText(node.baseline);
  const { workspace, problems, languages } = editors;
  const sideCopies = new SideCopies({ home: node.storage.home, locks: node.locks, clock: node.clock, log });
  const copyCounts = store.add(new CopyCounts(sideCopies, report));
  const ports: Ports = {
    ...node,
    ...(baseline && { baseline }),
    workspace,
    problems,
    languages,
    log,
    secrets: keys,
    sideCopies,
  };
  const manager = new AgentService(ports, { version: TILLER_VERSION, originator: 'vscode' });
  const http = new HttpModels(ports, TILLER_VERSION);
  const demo = new DemoModels(http, settings);
  const languageModels = new LanguageModels(node.ids);
  if (settings().provider === languageModels.id) languageModels.list().catch(report);
  const inProcess: Readonly<Record<InProcessProvider, ModelClientFactory>> = { demo, vscode: languageModels };
  const modelsById = (id: string) => {
    if (isInProcess(id)) return inProcess[id];
    const known = providerById(settings(), id);
    return known && http.of(known);
  };
  const mcp = createMcp({
    ports,
    version: TILLER_VERSION,
    roots: () => (vscode.workspace.isTrusted ? ports.workspace.roots : []),
    settings,
    support: sandboxSupport,
    secrets: mcpSecretsIn(context.secrets),
    hide: (secret) => host.redactor.hide(secret),
  });
  const signIns = store.add(new SignInHandler(context.extension.id));
  store.add(vscode.window.registerUriHandler(signIns));
  const controller: McpController = store.add(
    new McpController({
      ...mcp,
      settings,
      homeDirectory: node.host.homeDirectory,
      environment: node.host.environment,
      memento: context.workspaceState,
      showServers: () => void mcpCommands.showServers().catch(report),
      report,
    }),
  );
  const logs = store.add(new McpLogs((text) => host.redactor.redact(text)));
  const mcpCommands = new McpCommands({
    ...mcp,
    controller,
    logs,
    settings,
    signIn: async (server, signal) => mcp.signIn(server, await signIns.redirect(), signal),
  });
  const hooks = createHooks({
    ports,
    settings,
    roots: () => (vscode.workspace.isTrusted ? ports.workspace.roots : []),
  });
  const otherTools = () => [...tools.all, ...lmTools.registry.all].map(({ tool }) => tool.name);
  const agentFiles = createAgentFiles({
    ports,
    settings,
    roots: () => (vscode.workspace.isTrusted ? ports.workspace.roots : []),
    builtin: BUILTIN_ROLES.map(({ name }) => name),
    otherTools,
  });
  const proposedTexts = store.add(new ReadOnlyTexts('tiller-proposed-file'));
  const agentCommands = new AgentCommands({
    ...agentFiles,
    builtin: BUILTIN_ROLES,
    memento: context.workspaceState,
    texts: proposedTexts,
  });
  const skills = createSkills({
    ports,
    roots: () => (vscode.workspace.isTrusted ? ports.workspace.roots : []),
    otherTools,
  });
  const skillCommands = store.add(
    new SkillCommands({
      ...skills,
      memento: context.workspaceState,
      texts: proposedTexts,
      maxTokens: () => settings()['skills.maxTokens'],
    }),
  );
  const hookCommands = new HookCommands({ ...hooks, memento: context.workspaceState });
  const lmTools = new LanguageModelTools(settings, (name) => name.startsWith('tiller_'));
  const toolApproval = {
    trust: new Trust('tools.json', ports.storage, log),
    workspaceOf: (cwd: string) => {
      const home = sideCopies.homeOf(cwd);
      return ports.workspace.roots.find((root) => isBelow(home, root)) ?? home;
    },
  };
  const factory = new ThreadFactory({
    manager,
    modelsOf: (read) => {
      if (isInProcess(read.provider)) return inProcess[read.provider];
      const provider = providerOf(read);
      return provider && http.of(provider);
    },
    modelsById,
    settings,
    toolProviders: () => {
      void controller.configured();
      // Of two tools with one name the first is kept: those of extensions (by our API, by VS Code's), then those of servers.
      return [
        new ExternalTools(tools, toolApproval),
        new ExternalTools(lmTools.registry, toolApproval, () => lmTools.sync()),
        mcp.tools(() => controller.configured()),
      ];
    },
    homeDirectory: node.host.homeDirectory,
    log,
    hooks: async () => {
      const found = await hooks.current();
      hookCommands.announce(found).catch(report);
      return found;
    },
    agentRoles: () => {
      agentCommands.announce().catch(report);
      return agentFiles.roles();
    },
    skills: async () => {
      const found = await skills.current();
      skillCommands.announce(found).catch(report);
      return skills.used(found);
    },
    sandboxFor: (policy) => resolveSandbox(policy, sandboxSupport),
    makeSideCopy: agentCopies({ store: sideCopies, links: () => settings()['sideCopies.links'], report }),
    proposals: editors.proposals,
    givesWay: (threadId) => allowsTakeOver(threads.live.find((known) => known.threadId === threadId)),
  });
  const threads: ShownThread = new ShownThread({
    live: manager.live,
    source: factory,
    memento: context.workspaceState,
    clock: node.clock,
    changedInCopy: (threadId) => copyCounts.of(threadId),
    report,
  });
  const note = (uris: readonly vscode.Uri[]) => {
    for (const { fsPath } of uris) void manager.noteSave(fsPath);
  };
  store.add(vscode.workspace.onDidSaveTextDocument(({ uri }) => note([uri])));
  store.add(vscode.workspace.onDidCreateFiles(({ files }) => note(files)));
  store.add(vscode.workspace.onDidDeleteFiles(({ files }) => note(files)));
  store.add(
    vscode.workspace.onDidRenameFiles(({ files }) => note(files.flatMap(({ oldUri, newUri }) => [oldUri, newUri]))),
  );
  store.add(editors.onWritten((paths) => note(paths.map((path) => vscode.Uri.file(path)))));
  const markChanges = async (changes: readonly RecordedChange[]) => {
    // Changes in a side copy are reviewed when they come home.
    const here = changes.filter(({ path }) => sideCopies.homeOf(path) === path);
    if (baseline !== undefined) await editors.review.commandChanged(here, (hash) => baseline.read(hash));
  };
  const otherPrograms = store.add(
    new OtherPrograms({
      look: (roots) => manager.lookForOthers(roots, settings()['undo.maxBytes']),
      gitFolder: async (root) => (await gitFoldersOf(root, ports.workspace))?.own,
      mark: markChanges,
      report,
    }),
  );
  store.add(manager.onOtherChanges((changes) => void otherPrograms.take(changes)));
  store.add(manager.onCommandChanges((changes) => void markChanges(changes).catch(report)));
  store.add(
    manager.live.onEvent(({ event: { msg } }) => {
      if (msg.type === 'files_reverted') editors.undo.forget(msg.turnId);
    }),
  );
  store.add(manager.onTaken((threadId) => void threads.taken(threadId).catch(report)));
  store.add(closeResolvedProposals(threads.onEvent, editors.proposals));

  const history = new MessageHistory(ports, () => {
    const { 'history.persistence': persistence, 'history.maxBytes': maxBytes } = settings();
    return { persistence, maxBytes };
  });
  store.add(
    threads.onEvent(({ event: { msg, threadId }, state }) => {
      if (msg.type !== 'item_completed' || msg.item.type !== 'user_message' || isSubAgent(state)) return;
      void history.add(threadId, typedText(msg.item.content));
    }),
  );
  const current = () => threads.state?.settings ?? threads.state?.turns.at(-1)?.settings ?? factory.settings;
  const provider = () => current().provider ?? threads.state?.started?.provider ?? settings().provider;
  const inUse = () => serverInUse(settings(), current(), threads.state?.started?.provider);
  const efforts = () => {
    const server = inUse();
    return offeredEfforts(server && http.abilities(server.provider, server.model));
  };
  return {
    ports,
    manager,
    http,
    languageModels,
    demo,
    factory,
    sideCopies,
    copyCounts,
    threads,
    history,
    otherPrograms,
    hooks: hookCommands,
    lmTools,
    offeredTools: new OfferedTools({
      ids: node.ids,
      start: (models) => factory.startWith(models),
      begin: (session) => void manager.live.begin(session),
    }),
    agentCommands,
    skillCommands,
    mcp: { servers: mcp.servers, controller, commands: mcpCommands },
    current,
    provider,
    hasProvider: (id) => modelsById(id) !== undefined,
    inUse,
    efforts,
    takesImages: () => {
      const server = inUse();
      return server !== undefined && http.abilities(server.provider, server.model).family.images;
    },
  };
}
