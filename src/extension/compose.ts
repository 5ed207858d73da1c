/**
 * The object graph of the extension: the one place where core meets its hands in VS Code and in Node. Loaded when Tiller
 * is first used.
 */
import path from 'node:path';
import * as vscode from 'vscode';
import type { Ports } from '../core/ports.ts';
import { MessageHistory } from '../core/rollout/messageHistory.ts';
import { secretsInSettings } from '../core/model/providerSecrets.ts';
import { SessionManager } from '../core/session/sessionManager.ts';
import { DisposableStore } from '../core/util/disposable.ts';
import { watchJournals } from '../node/journal.ts';
import { DiskPaths } from '../node/landing/canonicalPath.ts';
import { createNodePorts } from '../node/ports.ts';
import { sweepProcesses } from '../node/process/processRecord.ts';
import { Quarantine } from '../node/sandbox/quarantine.ts';
import { sweepBoxes } from '../node/sandbox/sweep.ts';
import { createRedactor } from '../node/redact.ts';
import type { TurnSettings } from '../protocol/event.ts';
import type { Op, TurnOverrides } from '../protocol/op.ts';
import type { Rule, SandboxMode } from '../protocol/policy.ts';
import type { WayOut, WebviewMessage } from '../protocol/wire.ts';
import { ApprovalPrompts } from '../vscode/approvalPrompts.ts';
import { ChatView } from '../vscode/chatView.ts';
import type { CommandHands } from '../vscode/commands.ts';
import { DiffPreview } from '../vscode/diffPreview.ts';
import { Drafts } from '../vscode/drafts.ts';
import { FileMoves } from '../vscode/landing/fileMoves.ts';
import { createChannel, createLog } from '../vscode/log.ts';
import { askKey, DEMO_PROVIDER, selectModel, useDemo } from '../vscode/modelPicker.ts';
import { OutputDocuments } from '../vscode/outputDocuments.ts';
import { handlePanelRequest } from '../vscode/panelRequests.ts';
import { previewFor } from '../vscode/rulePreview.ts';
import { KeyStore } from '../vscode/secrets.ts';
import { onSettingsChanged, readSettings } from '../vscode/settings.ts';
import { BackgroundProcesses } from '../vscode/processes/backgroundProcesses.ts';
import { KeptReviews } from '../vscode/preview/keptReviews.ts';
import { pickHunks } from '../vscode/preview/pickHunks.ts';
import { withReviews } from '../vscode/preview/withReviews.ts';
import { QuarantineOffer } from '../vscode/quarantineOffer.ts';
import { RecoveryOffer } from '../vscode/recoveryOffer.ts';
import { ReviewDesk } from '../vscode/review/reviewDesk.ts';
import { StatusBar } from '../vscode/statusBar.ts';
import { typedText } from '../vscode/threadActivity.ts';
import { Threads } from '../vscode/threads.ts';
import { UndoPatch } from '../vscode/undoPatch.ts';
import { createEditorWorkspace } from '../vscode/workspace/workspace.ts';
import { land } from '../vscode/workspaceEdits.ts';
import { Connections } from './connections.ts';
import { landingHands } from './landingHands.ts';
import { panelSettings } from './panelSettings.ts';
import { PatchViews } from './patchViews.ts';
import { findHalfLanded } from './recovery.ts';
import { RuleViews } from './ruleViews.ts';
import { ThreadMaker } from './threadMaker.ts';
import { ThreadViews } from './threadViews.ts';
import { messageOf } from '../core/util/fileErrors.ts';

declare const TILLER_VERSION: string;

/** What the composer brings back of other threads: so many messages, and one to the panel has no more than 256 kB. */
const RECALLED_MESSAGES = 1000;
const RECALLED_CHARACTERS = 64 * 1024;

type HunkChoice = Extract<WebviewMessage, { type: 'choose_hunk' }>;

export interface Tiller extends CommandHands {
  /** Stops what runs and writes it down. */
  dispose(): Promise<void>;
}

export function compose(context: vscode.ExtensionContext): Tiller {
  const store = new DisposableStore();

  // ---- what is logged and kept
  const channel = store.add(createChannel());
  const redactor = createRedactor();
  const log = createLog(channel, (text) => redactor.redact(text));
  const report = (error: unknown) => log.error('Tiller met an error of its own', error);
  const keys = new KeyStore(context.secrets, (key) => redactor.hide(key));
  const settings = () => {
    const read = readSettings(
      (message) => void vscode.window.showWarningMessage(vscode.l10n.t('Tiller: {0}', message)),
    );
    for (const secret of secretsInSettings(read)) redactor.hide(secret);
    return read;
  };

  // ---- hands
  const node = createNodePorts({
    roots: [],
    name: 'vscode',
    redact: (text) => redactor.redact(text),
    hideKeys: (text) => redactor.told.hide(text),
    spareTerminals: path.join(vscode.env.appRoot, 'node_modules', 'node-pty'),
  });
  const moves = store.add(new FileMoves(() => new DiskPaths()));
  const landing = landingHands(node.storage.home, node.ids, moves, log);
  const workspace = createEditorWorkspace({
    ...landing,
    watchFor: (origin) => review.watchFor(origin),
    onLanded: (changes, origin) => {
      undo.record(changes, origin);
      review.landed(changes, origin);
    },
  });
  const undo = new UndoPatch({
    reader: workspace,
    land: async (changes) => {
      const result = await land(changes, { ...landing, watch: review.watchOfUndo });
      if (result.type === 'applied') review.landed(result.changes, undefined);
      return result;
    },
  });
  const review: ReviewDesk = store.add(
    new ReviewDesk({
      extensionUri: context.extensionUri,
      storageUri: context.storageUri,
      reader: workspace,
      land: (changes, watch) => land(changes, { ...landing, watch }),
      report,
    }),
  );
  const ports: Ports = { ...node, workspace, log, secrets: keys };

  const quarantine = new Quarantine(node.storage.home);

  // ---- threads
  const manager = new SessionManager(ports, { version: TILLER_VERSION, originator: 'vscode' });
  const connections = new Connections();
  const preview = store.add(new DiffPreview(new KeptReviews(context.workspaceState)));
  const outputs = store.add(new OutputDocuments());
  const maker = new ThreadMaker({
    manager,
    connections,
    settings,
    homeDirectory: node.host.homeDirectory,
    log,
    onProposal: (approvalId, proposal, reviewed) => preview.propose(approvalId, proposal, reviewed),
    undoTurn: (turnId) => patches.takeBack(turnId),
    givesWay: (threadId) => threadViews.givesWay(threadId),
    onTaken: (threadId) => void threads.taken(threadId).catch(report),
  });
  const threads = new Threads(maker, context.workspaceState, report);
  const patches = store.add(new PatchViews({ threads, preview, undo }));
  const asReviewed = (op: Op) => withReviews(op, (id) => preview.proposals.reviewOf(id));
  const submit = (op: Op) => {
    for (const each of asReviewed(op)) void threads.submit(each).catch(tell);
  };
  const submitTo = (threadId: string, op: Op) => {
    for (const each of asReviewed(op)) threads.submitTo(threadId, each);
  };
  const current = (): TurnSettings =>
    threads.state?.settings ?? threads.state?.turns.at(-1)?.settings ?? maker.settings;

  const history = new MessageHistory(ports, () => {
    const { 'history.persistence': persistence, 'history.maxBytes': maxBytes } = settings();
    return { persistence, maxBytes };
  });
  store.add(
    threads.onEvent(({ event: { msg, threadId } }) => {
      if (msg.type !== 'item_completed' || msg.item.type !== 'user_message') return;
      void history.add(threadId, typedText(msg.item.content));
    }),
  );

  // ---- views
  const recovery: RecoveryOffer = store.add(
    new RecoveryOffer({
      find: () => findHalfLanded(node.storage.home, node.locks),
      watch: (onSettled) => watchJournals(node.storage.home, onSettled),
      onChange: () => {
        view.sendInterrupted();
        statusBar.refresh();
      },
      report,
    }),
  );
  const drafts = new Drafts(context.workspaceState);
  const view: ChatView = store.add(
    new ChatView({
      extensionUri: context.extensionUri,
      build: TILLER_VERSION,
      threads,
      drafts,
      history: () => history.recent(RECALLED_MESSAGES, RECALLED_CHARACTERS),
      settings: () => panelSettings(settings(), current(), quarantine.ids),
      keys: redactor.told,
      interrupted: () => recovery.patches,
      reviews: () => preview.proposals.approvals.map((id) => preview.proposals.stateOf(id)),
      pendingReview: () => review.summary,
      handle: (message) => void handlePanelRequest(message, panelHands).catch(tell),
      onGone: () => threadViews.list.close(),
      log: (level, message) => log[level](message),
    }),
  );
  const threadViews = store.add(
    new ThreadViews({ threads, manager, maker, drafts, view, homeDirectory: node.host.homeDirectory, report }),
  );
  const panelHands = {
    threads: threadViews,
    state: () => threads.state,
    submit,
    override: (overrides: TurnOverrides) => {
      maker.choose(overrides);
      if (threads.state) submit({ type: 'override_turn_context', ...overrides });
      view.sendSettings();
    },
    policyOf: (mode: SandboxMode) => maker.policyOf(mode),
    previewRule: (approvalId: string, rule: Rule) => {
      const preview = previewFor(threads.state, approvalId, rule, node.host.platform);
      if (preview) view.sendRulePreview({ approvalId, rule, preview });
    },
    chooseHunk: ({ approvalId, path, hunk, wanted }: HunkChoice) =>
      preview.proposals.choose(approvalId, path, hunk, wanted),
    openChange: (id: string, file: string | undefined) => patches.open(id, file),
    openOutput: (itemId: string) => outputs.open(itemId, threads.state),
    openTerminal: (processId: string) => processes.openTerminal(processId),
    reviewFile: (path: string, what: 'keep' | 'undo' | 'open') => review.decide(path, what),
    putBack: (quarantineId: string) => quarantineOffer.putBack(quarantineId),
    settlePatch: (patchId: string, way: WayOut) => recovery.settle(patchId, way),
    insertText: (text: string) => view.insertText(text),
  };
  store.add(
    preview.proposals.onDidChange((id) => view.tell({ type: 'patch_review', review: preview.proposals.stateOf(id) })),
  );
  const approvals = store.add(
    new ApprovalPrompts({
      threads,
      submitTo,
      isPanelVisible: () => view.visible,
      showThread: (threadId) => void showThread(threadId).catch(tell),
      showList: () => void vscode.commands.executeCommand('tiller.showWaiting'),
    }),
  );
  const processes = store.add(new BackgroundProcesses(threads, (itemId, state) => outputs.open(itemId, state)));
  const ruleViews = store.add(new RuleViews({ context, manager, threads, ports, current, tell }));
  const quarantineOffer = store.add(
    new QuarantineOffer({ threads, hands: quarantine, onChange: () => view.sendSettings(), report }),
  );
  const statusBar = store.add(new StatusBar(threads, current, () => recovery.patches.length));
  store.add(review.onDidChange(() => view.sendReview()));
  let wasRunning: boolean | undefined;
  store.add(
    threads.onChange(({ state }) => {
      const running = state !== null && state.activeTurnId !== null;
      if (running !== wasRunning) setContext('tiller.running', running);
      wasRunning = running;
    }),
  );

  // ---- what may change meanwhile
  const refresh = () => {
    const { model, provider, reviewQuickDiff } = settings();
    setContext('tiller.hasModel', model !== null || provider === DEMO_PROVIDER);
    view.sendSettings();
    review.showQuickDiff(reviewQuickDiff);
    threads.modelMayBeThere().catch(report);
  };
  store.add(onSettingsChanged(refresh));
  store.add(
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      // A thread begun before that stands outside of the folder.
      if (threads.state) submit({ type: 'override_turn_context', cwd: maker.settings.cwd });
      refresh();
      ruleViews.announceProposals().catch(report);
    }),
  );
  store.add(vscode.workspace.onDidChangeWorkspaceFolders(refresh));
  refresh();
  ruleViews.announceProposals().catch(report);
  recovery.look().catch(report);
  review.restore().catch(report);
  sweepProcesses(node.storage.home).catch(report);
  sweepBoxes(node.storage.home);

  return {
    threads,
    view,
    approvals,
    processes,
    answeredBy: (uri) => preview.approvalOf(uri),
    toggleHunk: (uri, hunk, wanted) => preview.toggleHunk(uri, hunk, wanted),
    pickHunks: (approvalId) => pickHunks(approvalId, preview.proposals),
    openProposal: () => patches.openProposal(preview.active),
    undoPatch: (turnId) => patches.undo(turnId),
    putBack: () => quarantineOffer.pick(),
    settlePatch: () => recovery.pick(),
    setApiKey: async () => {
      const provider = await connections.provider(settings());
      if (provider) await askKey(new URL(provider.baseUrl).origin, keys);
    },
    selectModel: async (server) => {
      await selectModel(settings(), keys, ports.fetch, server);
      await changeModel();
    },
    threadViews,
    review: review.commands,
    useDemo: async () => {
      await useDemo();
      await changeModel();
      await vscode.commands.executeCommand('tiller.focus');
    },
    ruleViews,
    showLog: () => channel.show(true),
    dispose: async () => {
      // A window that reloads may not wait for the threads.
      await Promise.all([review.close(), threads.close()]);
      await review.close();
      store.dispose();
      await connections.dispose();
    },
  };

  /** Something could not even be begun: the person is told where they are looking. */
  function tell(error: unknown): void {
    report(error);
    void vscode.window.showErrorMessage(messageOf(error));
  }

  async function showThread(threadId: string): Promise<void> {
    if (threads.state?.threadId !== threadId) await threads.open(threadId);
    await vscode.commands.executeCommand('tiller.focus');
  }

  /** Another server means another thread; another model of the same server goes on with this one. */
  async function changeModel(): Promise<void> {
    const { model, provider } = settings();
    const started = threads.state?.started;
    if (!started || model === null) return;
    if (started.provider === provider) submit({ type: 'override_turn_context', model });
    else await threads.clear();
  }
}

function setContext(key: string, value: boolean): void {
  void vscode.commands.executeCommand('setContext', key, value);
}
