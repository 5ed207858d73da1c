import path from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import { listResources, readResourceText } from '../core/mcp/resources.ts';
import type { DisposableStore } from '../core/util/disposable.ts';
import { readGuard, readLimitsOf } from '../core/tools/files/readGuard.ts';
import { messageOf } from '../core/util/fileErrors.ts';
import { watchJournals } from '../node/apply/journal.ts';
import { Quarantine } from '../node/sandbox/quarantine.ts';
import type { Op, TurnOverrides } from '../protocol/op.ts';
import type { MessageTarget } from '../core/agent/shownThread.ts';
import { startEdit } from '../core/agent/editThread.ts';
import { inputInCopy } from '../core/sideCopies/inputInCopy.ts';
import { isFinal } from '../core/tools/agents/agentStatus.ts';
import { isSubAgent } from '../core/agent/threadActivity.ts';
import type { ChatMode, SandboxMode } from '../protocol/policy.ts';
import type { UserInput } from '../protocol/item.ts';
import { cwdOf } from '../protocol/thread.ts';
import { ApprovalCommands } from '../vscode/approvals/approvalCommands.ts';
import { ApprovalPrompts } from '../vscode/approvals/approvalPrompts.ts';
import { previewFor, suggestionForApproval } from '../vscode/approvals/rulePreview.ts';
import { ChatCommands } from '../vscode/chat/chatCommands.ts';
import { ChatView } from '../vscode/chat/chatView.ts';
import { DraftImageFiles } from '../vscode/chat/draftImages.ts';
import { Drafts } from '../vscode/chat/drafts.ts';
import { handlePanelRequest, type PanelRequestDeps } from '../vscode/chat/panelRequests.ts';
import { ModeMemory } from '../vscode/chat/modeMemory.ts';
import { modeOverrides } from '../vscode/chat/modeOverrides.ts';
import { MODES } from '../vscode/chat/modes.ts';
import { panelSettings } from '../vscode/chat/panelSettings.ts';
import { submitWithModel } from '../vscode/chat/submitWithModel.ts';
import { CodeReview } from '../vscode/codeReview/codeReview.ts';
import { FindingThreads } from '../vscode/comments/findingThreads.ts';
import { LineComments } from '../vscode/comments/lineComments.ts';
import { McpPrompts } from '../vscode/mcp/mcpPrompts.ts';
import { mentionOfLines } from '../vscode/mentions/editorPlaces.ts';
import { plainMention } from '../vscode/mentions/findMentions.ts';
import { Mentions } from '../vscode/mentions/mentions.ts';
import { CommitMessage } from '../vscode/entryPoints/commitMessage.ts';
import { EntryPoints } from '../vscode/entryPoints/entryPoints.ts';
import { EditAtCursor } from '../vscode/edits/editAtCursor.ts';
import { ProblemActions } from '../vscode/problems/problemActions.ts';
import { ModelMenu } from '../vscode/models/modelMenu.ts';
import { chooseModel } from '../vscode/models/modelSetup.ts';
import type { UsedModels } from '../vscode/models/usedModels.ts';
import { PlanCommands } from '../vscode/plans/planCommands.ts';
import { PlanDocuments } from '../vscode/plans/planDocuments.ts';
import { BackgroundProcesses } from '../vscode/processes/backgroundProcesses.ts';
import { fileOf, approvalOf as proposalOf } from '../vscode/proposals/proposalAddress.ts';
import { openChange } from '../vscode/proposals/openChange.ts';
import { pickHunks } from '../vscode/proposals/pickHunks.ts';
import { QuarantineOffer } from '../vscode/recovery/quarantineOffer.ts';
import { RecoveryOffer } from '../vscode/recovery/recoveryOffer.ts';
import { RuleViews } from '../vscode/rules/ruleViews.ts';
import { BringHome } from '../vscode/sideCopies/bringHome.ts';
import { ShownCopy } from '../vscode/sideCopies/shownCopy.ts';
import { SideCopyCommands } from '../vscode/sideCopies/sideCopyCommands.ts';
import { StatusBar } from '../vscode/threads/statusBar.ts';
import { ThreadKeys } from '../vscode/threads/threadKeys.ts';
import { NotifyProgram } from '../node/process/notifyProgram.ts';
import { TurnNotices, warnOfNotifyProgram } from '../vscode/threads/turnNotices.ts';
import { ThreadCommands } from '../vscode/threads/threadCommands.ts';
import { Walkthrough } from '../vscode/support/walkthrough.ts';
import { provideKeptDocuments } from '../vscode/undo/keptDocuments.ts';
import { RevertCommands } from '../vscode/undo/revertCommands.ts';
import { openRecordedChanges, pathsToReview } from '../vscode/undo/recordedChanges.ts';
import type { Agent } from './createAgent.ts';
import type { Editors } from './createEditors.ts';
import type { Host } from './createHost.ts';
import { findRecoverable } from './recoverPatches.ts';

declare const TILLER_VERSION: string;

/** Server and URI of a resource, in `Mention.id`. */
const RESOURCE_ID = z.tuple([z.string(), z.string()]);

/** Messages of earlier threads that the composer can recall; one message to the panel holds at most 256 kB. */
const RECALLED_MESSAGES = 1000;
const RECALLED_CHARACTERS = 64 * 1024;

/** The user interface of threads: the panel, its pages, the status bar, and the commands about them. */
export interface Panel {
  readonly view: ChatView;
  readonly chat: ChatCommands;
  readonly mentions: Mentions;
  readonly approvals: ApprovalCommands;
  readonly threads: ThreadCommands;
  readonly problems: ProblemActions;
  readonly edits: EditAtCursor;
  readonly entryPoints: EntryPoints;
  readonly commitMessage: CommitMessage;
  readonly codeReview: CodeReview;
  readonly findings: FindingThreads;
  readonly comments: LineComments;
  readonly processes: BackgroundProcesses;
  readonly reverts: RevertCommands;
  readonly plans: PlanCommands;
  readonly rules: RuleViews;
  readonly copies: SideCopyCommands;
  readonly recovery: RecoveryOffer;
  readonly quarantine: QuarantineOffer;
  readonly walkthrough: Walkthrough;
  /** Logs an error and shows it to the user. */
  readonly tell: (error: unknown) => void;
}

export function createPanel(
  context: vscode.ExtensionContext,
  host: Host,
  editors: Editors,
  agent: Agent,
  used: UsedModels,
  store: DisposableStore,
): Panel {
  const { node, log, settings, report } = host;
  const { threads, manager, factory, history, ports, current, sideCopies } = agent;
  const { proposals, review, outputs } = editors;
  const { home } = node.storage;
  const tell = (error: unknown) => {
    report(error);
    void vscode.window.showErrorMessage(messageOf(error));
  };

  const modes = new ModeMemory(context.globalState);
  const lastModel = (mode: ChatMode) => {
    const last = modes.of(mode);
    return last && agent.hasProvider(last.provider) ? last : undefined;
  };
  /** The model that was chosen in the panel is being written into the settings: a message sent then waits for it. */
  let choosing: Promise<void> = Promise.resolve();
  const storedQuarantine = new Quarantine(home);
  const planFolder = path.join(context.globalStorageUri.fsPath, 'plans');
  const draftImages =
    context.storageUri && new DraftImageFiles(path.join(context.storageUri.fsPath, 'draftImages'), report);
  const drafts = new Drafts(context.workspaceState, draftImages);
  const recovery: RecoveryOffer = store.add(
    new RecoveryOffer({
      find: () => findRecoverable(home, node.locks, editors.applyPorts),
      watch: (onSettled) => watchJournals(home, onSettled),
      onChange: () => {
        view.sendInterrupted();
        statusBar.refresh();
        keys.refresh();
      },
      report,
    }),
  );
  /** The target is that of the click: another thread may be shown before the message is sent. */
  const sendOrGiveBack = async (op: Op, target: MessageTarget) => {
    await choosing;
    return submitWithModel(op, {
      hasModel: () => current().model !== '',
      selectModel: async () => void (await vscode.commands.executeCommand('tiller.selectModel')),
      submit: (chosen) => mentions.submit(chosen, target),
      hold: (input) => view.hold(input, target.threadId ?? null),
      giveBack: (input) => view.giveBack(input, target.threadId ?? null),
    });
  };
  const sendMessage = async (input: readonly UserInput[], target: MessageTarget) => {
    await view.reveal();
    return sendOrGiveBack({ type: 'steer', input: [...input] }, target);
  };
  const view: ChatView = store.add(
    new ChatView({
      extensionUri: context.extensionUri,
      build: TILLER_VERSION,
      threads,
      drafts,
      history: () => history.recent(RECALLED_MESSAGES, RECALLED_CHARACTERS),
      settings: () =>
        panelSettings(
          settings(),
          current(),
          {
            provider: agent.provider(),
            efforts: agent.efforts(),
            takesImages: agent.takesImages(),
            modelOfMode: Object.fromEntries(MODES.map(({ mode }) => [mode, lastModel(mode)])),
          },
          storedQuarantine.ids,
        ),
      submit: async (op) =>
        void (await sendOrGiveBack(comments.withComments(op, threads.target.threadId), threads.target)),
      keys: host.redactor.registered,
      interrupted: () => recovery.patches,
      reviews: () => proposals.proposals.approvals.map((id) => proposals.proposals.stateOf(id)),
      pendingReview: () => review.summary,
      pendingComments: () => comments.pending,
      handle: (message) => void handlePanelRequest(message, requests).catch(tell),
      tell,
      onShown: () => {
        view.tell({ type: 'side_copy', row: shownCopy.row });
        mcpPrompts.post(true);
        mentions.postSelection(true).catch(report);
      },
      onGone: () => {
        threadCommands.list.close();
        mentions.close();
        modelMenu.close();
      },
      log: (level, message) => log[level](message),
    }),
  );
  const guard = () =>
    readGuard(
      readLimitsOf({
        settings: current(),
        thread: { id: threads.state?.threadId ?? '', home, unreadable: settings()['sandbox.unreadable'] },
      }),
      { host: node.host, workspace: ports.workspace },
    );
  const comments: LineComments = store.add(
    new LineComments({
      memento: context.workspaceState,
      threads,
      guard,
      isCommentable: (uri) => uri.fsPath.startsWith(planFolder + path.sep),
      proposalOf,
      fileOf,
      threadAsking: (approvalId) =>
        threads.overview.waiting.find(({ approvals }) => approvals.some((one) => one.approvalId === approvalId))
          ?.threadId,
      deny: (approvalId, message, threadId) =>
        threads.submitTo(threadId, { type: 'approval', approvalIds: [approvalId], decision: { denied: { message } } }),
      sendMessage,
      report,
    }),
  );
  const mentions: Mentions = store.add(
    new Mentions({
      guard,
      threads: async () => {
        const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
        const stored = await manager.catalog.list(folders);
        return stored.flatMap(({ id, title, place }) =>
          title === null || place === 'elsewhere' || id === threads.state?.threadId ? [] : [{ id, title }],
        );
      },
      exportThread: (threadId) => manager.catalog.export(threadId, 'markdown'),
      resources: async (signal) =>
        (await listResources(agent.mcp.servers, signal)).map(({ server, uri, name, description }) => ({
          id: JSON.stringify([server, uri]),
          server,
          name,
          description,
        })),
      readResource: (id, signal) => {
        const [server, uri] = RESOURCE_ID.parse(JSON.parse(id));
        return readResourceText(agent.mcp.servers, { server, uri }, signal);
      },
      send: (op, target) => {
        const state = threads.live.find(({ threadId }) => threadId === target.threadId);
        // A thread that was suspended is opened by the message.
        const stored = target.threadId === undefined ? undefined : sideCopies.of(target.threadId);
        const folders = state ? sideCopies.foldersAround(cwdOf(state)) : stored?.folders;
        const isMessage = op.type === 'user_turn' || op.type === 'steer';
        return threads.send(folders && isMessage ? { ...op, input: inputInCopy(op.input, folders) } : op, target);
      },
      hold: (input, target) => view.hold(input, target.threadId ?? null),
      reveal: () => view.reveal(),
      post: (message) => view.tell(message),
      postWhenReady: (message) => view.tellWhenReady(message),
      report,
    }),
  );
  const mcpPrompts: McpPrompts = store.add(
    new McpPrompts({
      servers: agent.mcp.servers,
      post: (rows) => view.tell({ type: 'prompts', rows }),
      insertText: (text) => {
        view.insertText(text);
        view.focusComposer();
      },
      report,
    }),
  );
  const modelMenu: ModelMenu = store.add(
    new ModelMenu({
      settings,
      inUse: () => ({ provider: agent.provider(), model: current().model }),
      used,
      keys: host.keys,
      http: agent.http,
      languageModels: agent.languageModels,
      post: (message) => view.tell(message),
      report,
    }),
  );
  const threadCommands: ThreadCommands = store.add(
    new ThreadCommands({ threads, manager, factory, drafts, view, homeDirectory: node.host.homeDirectory, report }),
  );
  const showThread = (threadId: string) => void threadCommands.show(threadId).catch(tell);
  store.add(new TurnNotices({ live: manager.live, settings, showThread }));
  const notifyProgram = new NotifyProgram({
    settings,
    environment: node.host.environment,
    redactor: ports.keys,
    warn: (reason) => void warnOfNotifyProgram(reason).then(undefined, report),
  });
  store.add(manager.live.onEvent((update) => void notifyProgram.take(update)));
  const chat = new ChatCommands({ threads, view });
  const prompts = store.add(
    new ApprovalPrompts({
      threads,
      submitTo: (threadId, op) => threads.submitTo(threadId, comments.withComments(op, threadId)),
      isPanelVisible: () => view.visible && vscode.window.state.focused,
      showThread,
      showList: () => void chat.showPending(),
    }),
  );
  const approvals = new ApprovalCommands({
    prompts,
    answeredBy: (uri) => proposals.approvalOf(uri),
    others: {
      has: (id) => bringHome.has(id),
      approve: (id) => bringHome.approve(id),
      leave: (id) => bringHome.leave(id),
    },
    pickHunks: (approvalId) => pickHunks(approvalId, proposals.proposals),
  });
  const processes = store.add(new BackgroundProcesses(threads, (itemId, state) => outputs.open(itemId, state)));
  const rules = store.add(new RuleViews({ context, manager, threads, ports, current, tell }));
  const quarantine = store.add(
    new QuarantineOffer({ threads, deps: storedQuarantine, onChange: () => view.sendSettings(), report }),
  );
  const walkthrough = new Walkthrough();
  store.add(
    threads.onEvent(({ event: { msg } }) => {
      if (msg.type === 'turn_started') walkthrough.note('ask');
      if (msg.type === 'approval_resolved' && msg.by === 'user') walkthrough.note('decide');
      if (msg.type === 'files_reverted') walkthrough.note('undo');
    }),
  );
  const keys = store.add(new ThreadKeys(threads, () => recovery.patches.length));
  const statusBar = store.add(new StatusBar(threads, current, () => recovery.patches.length));

  store.add(
    threads.onEvent(({ event: { msg }, state }) => {
      if (msg.type !== 'turn_started' || isSubAgent(state)) return;
      const provider = msg.settings.provider ?? threads.state?.started?.provider;
      if (provider === undefined) return;
      modes.note(msg.settings, provider).then(undefined, report);
      used.note(provider, msg.settings.model).then(undefined, report);
    }),
  );
  // The chips show what the next turn of the thread runs under.
  store.add(
    threads.onChange((change) => {
      if (change.type === 'event' && change.event.msg.type === 'turn_context_changed') view.sendSettings();
    }),
  );
  const hasModel = async () => {
    await choosing;
    return current().model !== '' || (await vscode.commands.executeCommand('tiller.selectModel')) === true;
  };
  const shownCopy: ShownCopy = store.add(
    new ShownCopy({ threads, store: sideCopies, post: (row) => view.tell({ type: 'side_copy', row }), report }),
  );
  const bringHome: BringHome = store.add(
    new BringHome({
      store: sideCopies,
      workspace: editors.workspace,
      holdFolders: editors.applyPorts.holdFolders,
      tabs: {
        propose: (...proposal) => proposals.propose(...proposal),
        show: (...which) => proposals.show(...which),
        close: (id) => proposals.close(id),
        reviewOf: (id) => proposals.reviewOf(id),
        stateOf: (id) => proposals.proposals.stateOf(id),
      },
      apply: editors.applyPatchForUser,
      onUndone: editors.undo.onUndone,
      onSettled: () => shownCopy.refresh(),
      report,
    }),
  );
  const copies = new SideCopyCommands({
    store: sideCopies,
    bringHome,
    shown: () => shownCopy.copy,
    threads,
    startIn: (folders) => factory.startIn(folders),
    hasModel,
    links: () => settings()['sideCopies.links'],
    titleOf: async (threadId) => (await manager.catalog.find(threadId))?.title,
    threadsIn: (folders) => manager.catalog.threadsIn(folders),
    showThread: (threadId) => threadCommands.show(threadId),
    leaveCopy: (threadId) => threads.forget(threadId, () => manager.live.close(threadId, 'suspend')),
    onRemoved: () => shownCopy.refresh(),
    report,
  });
  store.add(
    manager.live.onEvent(({ event: { msg } }) => {
      if (msg.type !== 'agent_status' || msg.inSideCopy !== true || !isFinal(msg)) return;
      if (msg.state !== 'shutdown') copies.offer(msg.agentId, msg.role).catch(report);
    }),
  );
  sideCopies.sweep(async (threadId) => (await manager.catalog.find(threadId)) !== undefined).catch(report);
  /** Sends a message that a command of VS Code has made, and shows the panel. */
  const sendToShown = async (input: readonly UserInput[]) => {
    const { target } = threads;
    await view.reveal();
    await sendOrGiveBack({ type: 'steer', input: [...input] }, target);
  };
  const problems = new ProblemActions({
    guard,
    mentionOf: mentionOfLines,
    send: sendToShown,
  });
  store.add(problems.register());
  const entryPoints = new EntryPoints({
    guard,
    insert: (attachments) => mentions.insert(attachments),
    attachFiles: (uris) => mentions.attach(uris),
    failedCommand: () => mentions.failedCommand,
    mentionOf: mentionOfLines,
    send: sendToShown,
  });
  /** For what is not part of the shown thread, which may have a model of its own. */
  const hasDefaultModel = async () => {
    await choosing;
    return factory.settings.model !== '' || (await vscode.commands.executeCommand('tiller.selectModel')) === true;
  };
  const commitMessage = new CommitMessage({
    guard,
    hasModel: hasDefaultModel,
    ask: (question, signal) => factory.ask(question, signal),
    askInPanel: (text) => mentions.insert([{ part: plainMention('changes'), inText: false }], text),
    report,
  });
  const edits = store.add(
    new EditAtCursor({
      guard,
      isPlanMode: () => factory.settings.planMode === true,
      hasModel: hasDefaultModel,
      prepare: () => manager.prepare(factory.settings.cwd),
      cwd: () => factory.settings.cwd,
      start: (input, signal, onProgress) =>
        startEdit(
          input,
          {
            ids: node.ids,
            start: () => factory.startEdit(),
            begin: (session) => void manager.live.begin(session),
            suspend: (session) => threads.suspend(session),
          },
          signal,
          onProgress,
        ),
      answer: (threadId, approvalId, decision) =>
        threads.submitTo(threadId, {
          type: 'approval',
          approvalIds: [approvalId],
          decision: decision === 'approved' ? 'approved' : { denied: {} },
        }),
      showProposal: (approvalId) => proposals.show(approvalId, { focus: true }),
      showThread: (threadId) => threadCommands.show(threadId),
      review,
      memento: context.globalState,
      keepsInstructions: () => settings()['history.persistence'] !== 'none',
      report,
    }),
  );
  const codeReview = new CodeReview({
    guard,
    cwd: () => (threads.state && cwdOf(threads.state)) || current().cwd,
    isInSideCopy: () => shownCopy.copy !== undefined,
    isRunning: () => threads.state !== null && threads.state.activeTurnId !== null,
    hasModel,
    target: () => threads.target,
    reveal: () => view.reveal(),
    send: (op, target) => threads.send(op, target),
  });
  const findings = store.add(
    new FindingThreads({
      threads,
      sendMessage,
      send: (op, target) => threads.send(op, target),
      quote: (text) => {
        view.insertText(text);
        view.focusComposer();
      },
      report,
    }),
  );
  const reverts = new RevertCommands({
    threads,
    live: manager.live,
    giveBack: (input, threadId) => view.giveBack(input, threadId),
    hasModel,
    send: (input, target) => mentions.submit({ type: 'user_turn', input: [...input] }, target),
  });
  if (ports.baseline !== undefined) store.add(provideKeptDocuments(ports.baseline));

  /** For new threads, too. */
  const choose = (overrides: TurnOverrides) => {
    factory.choose(overrides);
    const { provider, model } = overrides;
    if (provider !== undefined && model !== undefined) {
      choosing = choosing.then(() => chooseModel(settings(), provider, model)).catch(tell);
      used.note(provider, model).then(undefined, report);
    }
  };
  const override = async (overrides: TurnOverrides) => {
    choose(overrides);
    if (threads.state) await threads.submit({ type: 'override_turn_context', ...overrides });
    view.sendSettings();
  };
  const policyOf = (mode: SandboxMode) => factory.policyOf(mode, sideCopies.foldersAround(current().cwd));
  const plans: PlanCommands = store.add(
    new PlanCommands({
      threads,
      documents: new PlanDocuments(planFolder),
      leavePlanMode: async (target) => {
        const overrides = modeOverrides('agent', policyOf, lastModel) ?? {};
        choose(overrides);
        // The mode is that of this thread only: others begin as the settings say.
        factory.forgetMode();
        await threads.send({ type: 'override_turn_context', ...overrides }, target);
        view.sendSettings();
      },
      send: async (text, target) =>
        void (await sendOrGiveBack({ type: 'user_turn', input: [{ type: 'text', text }] }, target)),
    }),
  );

  const requests: PanelRequestDeps = {
    threads: threadCommands,
    state: () => threads.state,
    override: (overrides) => void override(overrides).catch(tell),
    policyOf,
    lastModel,
    models: modelMenu,
    previewRule: (approvalId, rule) => {
      const preview = previewFor(threads.overview.asking(approvalId), approvalId, rule, node.host.platform);
      if (preview) view.sendRulePreview({ approvalId, rule, preview });
    },
    suggestRule: async (approvalId) => {
      const suggestion = await suggestionForApproval(
        threads.overview.asking(approvalId),
        approvalId,
        ports.audit,
        node.host.platform,
      );
      if (suggestion) view.sendRuleSuggestion({ approvalId, suggestion });
    },
    chooseHunk: ({ approvalId, path, hunk, wanted }) => proposals.proposals.choose(approvalId, path, hunk, wanted),
    explainHunk: ({ approvalId, path, hunk, reason }) => proposals.proposals.explain(approvalId, path, hunk, reason),
    openChange: async (id, file) => {
      const { state } = threads;
      const name = file === undefined || state === null ? undefined : path.resolve(cwdOf(state), file);
      const isRecorded = state !== null && (await openRecordedChanges(id, name, state.threadId, node.storage));
      if (!isRecorded) await openChange(id, file, threads.overview.asking(id), proposals);
    },
    stopAgent: (threadId) => threads.submitTo(threadId, { type: 'interrupt' }),
    revert: (target) => reverts.revert(target),
    resend: async (request) => {
      const threadId = threads.state?.threadId;
      let isSent = false;
      try {
        isSent = await reverts.resend(request);
        if (isSent && threadId !== undefined) drafts.endSent(threadId, request.itemId);
      } finally {
        view.tell({ type: 'resent', itemId: request.itemId, isSent });
      }
    },
    reviewCommand: async (itemId, what) => {
      const threadId = threads.state?.threadId;
      if (threadId === undefined) return;
      for (const path of await pathsToReview(itemId, threadId, node.storage)) await review.decide(path, what);
    },
    openOutput: (itemId) => outputs.open(itemId, threads.state),
    openTerminal: (processId) => processes.openTerminal(processId),
    reviewFile: (path, what) => review.decide(path, what),
    reviewChanges: (what, instructions) => codeReview.start(what, instructions),
    fixFinding: (itemId, findingId) => findings.fixFinding(itemId, findingId),
    restore: (quarantineId) => quarantine.restore(quarantineId),
    settlePatch: (patchId, way) => recovery.settle(patchId, way),
    mentions,
    prompts: mcpPrompts,
    listSkills: async () => view.tell({ type: 'skills', rows: await agent.skillCommands.rows() }),
  };

  store.add(
    proposals.proposals.onDidChange((id) =>
      view.tell({ type: 'proposal_choices', review: proposals.proposals.stateOf(id) }),
    ),
  );
  store.add(review.onDidChange(() => view.sendReview()));
  store.add(comments.onDidChange(() => view.sendComments()));
  return {
    view,
    chat,
    mentions,
    approvals,
    threads: threadCommands,
    problems,
    edits,
    entryPoints,
    commitMessage,
    codeReview,
    findings,
    comments,
    processes,
    reverts,
    plans,
    rules,
    copies,
    recovery,
    quarantine,
    walkthrough,
    tell,
  };
}
