import path from 'node:path';
import * as vscode from 'vscode';
import type { DisposableStore } from '../core/util/disposable.ts';
import {
  type NameGuard,
  readGuard,
  readLimitsOf,
  type ReadRefusals,
  refusalsOf,
} from '../core/tools/files/readGuard.ts';
import { refusalOfAddress } from '../core/tools/filesNamed.ts';
import { redactPrinted } from '../core/tools/redactPrinted.ts';
import type { ApprovalCommands } from '../vscode/approvals/approvalCommands.ts';
import { ChatCommands } from '../vscode/chat/chatCommands.ts';
import type { ChatView } from '../vscode/chat/chatView.ts';
import { DraftImageFiles } from '../vscode/chat/draftImages.ts';
import { Drafts } from '../vscode/chat/drafts.ts';
import { handlePanelRequest, type PanelRequestDeps } from '../vscode/chat/panelRequests.ts';
import { MessageSender } from '../vscode/chat/messageSender.ts';
import type { LineComments } from '../vscode/comments/lineComments.ts';
import type { Mentions } from '../vscode/mentions/mentions.ts';
import type { UsedModels } from '../vscode/models/usedModels.ts';
import type { PlanCommands } from '../vscode/plans/planCommands.ts';
import { BackgroundProcesses } from '../vscode/processes/backgroundProcesses.ts';
import type { QuarantineOffer } from '../vscode/recovery/quarantineOffer.ts';
import type { RecoveryOffer } from '../vscode/recovery/recoveryOffer.ts';
import { RuleViews } from '../vscode/rules/ruleViews.ts';
import type { SideCopyCommands } from '../vscode/sideCopies/sideCopyCommands.ts';
import { ThreadCommands } from '../vscode/threads/threadCommands.ts';
import type { Walkthrough } from '../vscode/support/walkthrough.ts';
import type { RevertCommands } from '../vscode/undo/revertCommands.ts';
import type { Agent } from './createAgent.ts';
import { createApprovals } from './createApprovals.ts';
import { createChatView } from './createChatView.ts';
import { createComments } from './createComments.ts';
import { type Composer, createComposer, inCopyOfThread } from './createComposer.ts';
import { createEditorActions, type EditorActions } from './createEditorActions.ts';
import type { Editors } from './createEditors.ts';
import type { Host } from './createHost.ts';
import { createIndicators, type Indicators } from './createIndicators.ts';
import { createPanelRequests } from './createPanelRequests.ts';
import { createRecovery, type Recovery } from './createRecovery.ts';
import { createSideCopies, type SideCopyParts } from './createSideCopies.ts';
import { createTurnChoices } from './createTurnChoices.ts';
import { createTurnCommands } from './createTurnCommands.ts';

/** The user interface of threads: the panel, its pages, the status bar, and the commands about them. */
export interface Panel extends EditorActions {
  readonly view: ChatView;
  readonly chat: ChatCommands;
  readonly mentions: Mentions;
  readonly approvals: ApprovalCommands;
  readonly threads: ThreadCommands;
  readonly comments: LineComments;
  readonly processes: BackgroundProcesses;
  readonly reverts: RevertCommands;
  readonly plans: PlanCommands;
  readonly rules: RuleViews;
  readonly copies: SideCopyCommands;
  readonly recovery: RecoveryOffer;
  readonly quarantine: QuarantineOffer;
  readonly walkthrough: Walkthrough;
}

/**
 * Creates the panel and its parts. They need each other, so functions name parts that are made below them: these functions
 * are called by events of VS Code and of threads, when all parts are there.
 */
export function createPanel(
  context: vscode.ExtensionContext,
  host: Host,
  editors: Editors,
  agent: Agent,
  used: UsedModels,
  store: DisposableStore,
): Panel {
  const { node, report, tell } = host;
  const { threads, service, factory, ports, current } = agent;
  const { outputs } = editors;
  const planFolder = path.join(context.globalStorageUri.fsPath, 'plans');
  const guard = () => guardOfShownThread(host, agent);
  const refusals: ReadRefusals = (files) => refusalsOf(files, readingOfShownThread(host, agent));
  const redact = (text: string, cwds: readonly string[]) => redactForShownThread(text, cwds, host, agent);

  const choices = createTurnChoices(context, host, agent, { used, onChange: () => view.sendSettings() }, store);
  const drafts = createDrafts(context, host);
  const { recovery, quarantine, quarantined }: Recovery = createRecovery(
    host,
    editors,
    agent,
    {
      onPatches: () => {
        view.sendInterrupted();
        indicators.refresh();
      },
      onQuarantine: () => view.sendSettings(),
    },
    store,
  );
  const view: ChatView = createChatView(
    context,
    host,
    editors,
    agent,
    {
      drafts,
      choices,
      quarantined,
      submit: async (op) =>
        void (await sender.send(comments.withComments(op, threads.target.threadId), threads.target)),
      interrupted: () => recovery.patches,
      pendingComments: () => comments.pending,
      handle: (message) => void handlePanelRequest(message, requests).catch(tell),
      onShown: () => {
        view.tell({ type: 'side_copy', row: shownCopy.row });
        composer.mcpPrompts.post({ isNewPanel: true });
        composer.mentions.postSelection({ isNewPanel: true }).catch(report);
      },
      onGone: () => {
        threadCommands.list.close();
        composer.mentions.close();
        composer.modelMenu.close();
      },
    },
    store,
  );
  const comments: LineComments = createComments(
    host,
    agent,
    { planFolder, refusals, sendMessage: (input, target) => sender.sendInput(input, target) },
    store,
  );
  const composer: Composer = createComposer(
    host,
    agent,
    {
      view,
      used,
      guard,
      refusals,
      refusalOfAddress: (address) => refusalOfAddress(address, readingOfShownThread(host, agent)),
      redact,
      changedInCopy: () => shownCopy.row?.changed,
    },
    store,
  );
  const sender: MessageSender = new MessageSender({
    view,
    threads,
    modelSettled: () => choices.model.settled,
    hasModel: () => current().model !== '',
    fill: (input, target) => composer.mentions.fill(input, target),
    deliver: (op, target) => threads.send(inCopyOfThread(op, target, agent), target),
  });
  const threadCommands: ThreadCommands = store.add(
    new ThreadCommands({ threads, service, factory, drafts, view, homeDirectory: node.host.homeDirectory, report }),
  );
  const showThread = (threadId: string) => threadCommands.show(threadId);
  const tryShowThread = (threadId: string) => void showThread(threadId).catch(tell);
  const indicators: Indicators = createIndicators(
    host,
    agent,
    { interrupted: () => recovery.patches.length, showThread: tryShowThread },
    store,
  );
  const chat = new ChatCommands({ threads, view, send: (input) => sender.sendInput(input) });
  const approvals = createApprovals(
    editors,
    agent,
    {
      view,
      withComments: (op, threadId) => comments.withComments(op, threadId),
      showThread: tryShowThread,
      showList: () => void chat.showPending(),
      bringHome: () => bringHome,
    },
    store,
  );
  const processes = store.add(new BackgroundProcesses(threads, (itemId, state) => outputs.open(itemId, state)));
  const rules = store.add(new RuleViews({ context, service, threads, ports, current, tell }));
  const { shownCopy, bringHome, copies }: SideCopyParts = createSideCopies(
    host,
    editors,
    agent,
    { view, hasModel: choices.hasModel, showThread },
    store,
  );
  const { mentions } = composer;
  const actions = createEditorActions(
    context,
    host,
    editors,
    agent,
    { refusals, redact, view, sender, mentions, choice: choices.model, shownCopy, showThread },
    store,
  );
  const { reverts, plans } = createTurnCommands(agent, { view, sender, choices, planFolder }, store);
  const requests: PanelRequestDeps = createPanelRequests(
    host,
    editors,
    agent,
    {
      view,
      drafts,
      composer,
      threadCommands,
      processes,
      reverts,
      codeReview: actions.codeReview,
      findings: actions.findings,
      recovery,
      quarantine,
      copies,
      choices,
      previewFolder: vscode.Uri.joinPath(context.storageUri ?? context.globalStorageUri, 'previews'),
    },
    store,
  );

  updatePanel(view, { editors, agent, comments, requests, report }, store);
  return {
    ...actions,
    view,
    chat,
    mentions,
    approvals,
    threads: threadCommands,
    comments,
    processes,
    reverts,
    plans,
    rules,
    copies,
    recovery,
    quarantine,
    walkthrough: indicators.walkthrough,
  };
}

/** Drafts of messages, with their images in the storage of the workspace, if there is one. */
function createDrafts({ storageUri }: vscode.ExtensionContext, { windowState, report }: Host): Drafts {
  const images = storageUri && new DraftImageFiles(path.join(storageUri.fsPath, 'draftImages'), report);
  return new Drafts(windowState, images);
}

/** Resolves to a function that returns why the shown thread, or else the next one, may not read a file. */
function guardOfShownThread(host: Host, agent: Agent): Promise<NameGuard> {
  const deps = readingOfShownThread(host, agent);
  return readGuard(readLimitsOf(deps), deps);
}

/** Resolves to a text of terminals or of another thread without secrets. Never rejects. */
function redactForShownThread(text: string, cwds: readonly string[], host: Host, agent: Agent): Promise<string> {
  const { signal } = new AbortController();
  return redactPrinted(text, cwds, { ...readingOfShownThread(host, agent), keys: agent.ports.keys, signal });
}

/** The facts that decide which files the shown thread, or else the next one, may read. */
function readingOfShownThread({ node, settings }: Host, { current, threads, ports }: Agent) {
  const thread = {
    id: threads.state?.threadId ?? '',
    home: node.storage.home,
    unreadable: settings()['sandbox.unreadable'],
  };
  return { settings: current(), thread, host: node.host, workspace: ports.workspace };
}

interface UpdateSources {
  readonly editors: Editors;
  readonly agent: Agent;
  readonly comments: LineComments;
  readonly requests: PanelRequestDeps;
  readonly report: (error: unknown) => void;
}

/** Sends the panel changes that were made outside of it. */
function updatePanel(
  view: ChatView,
  { editors, agent, comments, requests, report }: UpdateSources,
  store: DisposableStore,
): void {
  const { proposals } = editors.proposalTabs;
  // The chips show the settings of the thread's next turn.
  store.add(
    agent.threads.onChange((change) => {
      if (change.type === 'event' && change.event.msg.type === 'turn_context_changed') view.sendSettings();
    }),
  );
  store.add(proposals.onDidChange((id) => view.tell({ type: 'proposal_choices', review: proposals.stateOf(id) })));
  store.add(editors.review.onDidChange(() => view.sendReview()));
  // An open list shows the user's decisions.
  store.add(agent.skillCommands.onDidDecide(() => void requests.listSkills().catch(report)));
  store.add(comments.onDidChange(() => view.sendComments()));
}
