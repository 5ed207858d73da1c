import type * as vscode from 'vscode';
import type { Ports } from '../core/ports.ts';
import { type ServerInUse, serverInUse } from '../core/agent/serverInUse.ts';
import { offeredEfforts, type OfferedEfforts } from '../core/model/abilities.ts';
import { MessageHistory } from '../core/rollout/messageHistory.ts';
import { resolveSandbox } from '../core/sandbox/resolveSandbox.ts';
import { AgentService } from '../core/agent/agentService.ts';
import type { ExternalToolRegistry } from '../core/tools/external/registry.ts';
import type { DisposableStore } from '../core/util/disposable.ts';
import { CopyCounts } from '../core/sideCopies/copyCounts.ts';
import { SideCopies } from '../node/sideCopies/sideCopies.ts';
import { sandboxSupport } from '../node/sandbox/support.ts';
import type { TurnSettings } from '../protocol/event.ts';
import { OfferedTools } from '../vscode/languageModelTools/offeredTools.ts';
import { agentCopies } from '../vscode/sideCopies/agentCopy.ts';
import { allowsTakeOver } from '../vscode/threads/takeOver.ts';
import { ThreadFactory } from '../vscode/threads/threadFactory.ts';
import { isSubAgent } from '../core/agent/threadActivity.ts';
import { textOfInput } from '../protocol/thread.ts';
import { ShownThread } from '../core/agent/shownThread.ts';
import type { OtherPrograms } from '../vscode/changeReview/otherPrograms.ts';
import { withUnsavedText } from '../vscode/apply/unsavedBaseline.ts';
import { closeResolvedProposals } from '../vscode/proposals/openChange.ts';
import { createCustomizations, type Customizations } from './createCustomizations.ts';
import type { Editors } from './createEditors.ts';
import type { Host } from './createHost.ts';
import { createModels, type Models } from './createModels.ts';
import { trackChanges } from './trackChanges.ts';

declare const TILLER_VERSION: string;

/** All threads of this window, and their services. */
export interface Agent extends Omit<Customizations, 'forThreads'>, Omit<Models, 'of' | 'byId'> {
  readonly ports: Ports;
  readonly service: AgentService;
  readonly factory: ThreadFactory;
  readonly sideCopies: SideCopies;
  /** Counts of changed files in the side copies of agents. */
  readonly copyCounts: CopyCounts;
  readonly threads: ShownThread;
  readonly history: MessageHistory;
  readonly otherPrograms: OtherPrograms;
  readonly offeredTools: OfferedTools;
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

/** Builds the agent service with all that its threads use. `store` disposes of it. */
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
  const service = new AgentService(ports, { version: TILLER_VERSION, originator: 'vscode' });
  const models = createModels(ports, host);
  const { http, languageModels, demo } = models;
  const { forThreads, ...customizations } = createCustomizations(context, host, ports, sideCopies, tools, store);
  const factory = new ThreadFactory({
    service,
    modelsOf: models.of,
    modelsById: models.byId,
    settings,
    homeDirectory: node.host.homeDirectory,
    log,
    ...forThreads,
    sandboxFor: (policy) => resolveSandbox(policy, sandboxSupport),
    makeSideCopy: agentCopies({ store: sideCopies, links: () => settings()['sideCopies.links'], report }),
    proposals: editors.proposalTabs,
    allowsTakeOver: (threadId) => allowsTakeOver(threads.live.find((known) => known.threadId === threadId)),
  });
  const threads: ShownThread = new ShownThread({
    live: service.live,
    source: factory,
    memento: host.windowState,
    clock: node.clock,
    changedInCopy: (threadId) => copyCounts.of(threadId),
    report,
  });
  const otherPrograms = trackChanges(host, editors, service, ports, sideCopies, store);
  store.add(service.onTaken((threadId) => void threads.taken(threadId).catch(report)));
  store.add(closeResolvedProposals(threads.onEvent, editors.proposalTabs));

  const history = createHistory(ports, threads, settings, store);
  return {
    ports,
    service,
    http,
    languageModels,
    demo,
    factory,
    sideCopies,
    copyCounts,
    threads,
    history,
    otherPrograms,
    offeredTools: new OfferedTools({
      ids: node.ids,
      start: (oneCall) => factory.startWith(oneCall),
      begin: (session) => void service.live.begin(session),
    }),
    ...customizations,
    ...nextTurn(threads, factory, models, settings),
  };
}

/** Saves the messages that the user sends, for the composer to recall. */
function createHistory(
  ports: Ports,
  threads: ShownThread,
  settings: Host['settings'],
  store: DisposableStore,
): MessageHistory {
  const history = new MessageHistory(ports, () => {
    const { 'history.persistence': persistence, 'history.maxBytes': maxBytes } = settings();
    return { persistence, maxBytes };
  });
  store.add(
    threads.onEvent(({ event: { msg, threadId }, state }) => {
      if (msg.type !== 'item_completed' || msg.item.type !== 'user_message' || isSubAgent(state)) return;
      void history.add(threadId, textOfInput(msg.item.content));
    }),
  );
  return history;
}

/** The settings of the next turn, its server, and what its model can do. */
function nextTurn(
  threads: ShownThread,
  factory: ThreadFactory,
  { http, byId }: Models,
  settings: Host['settings'],
): Pick<Agent, 'current' | 'provider' | 'hasProvider' | 'inUse' | 'efforts' | 'takesImages'> {
  const current = () => threads.state?.settings ?? threads.state?.turns.at(-1)?.settings ?? factory.settings;
  const inUse = () => serverInUse(settings(), current(), threads.state?.started?.provider);
  const abilities = () => {
    const server = inUse();
    return server && http.abilities(server.provider, server.model);
  };
  return {
    current,
    provider: () => current().provider ?? threads.state?.started?.provider ?? settings().provider,
    hasProvider: (id) => byId(id) !== undefined,
    inUse,
    efforts: () => offeredEfforts(abilities()),
    takesImages: () => abilities()?.family.images ?? false,
  };
}
