/**
 * The object graph of the extension: the one place where core meets its hands in VS Code and in Node. Loaded when Tiller
 * is first used.
 */
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { ModelFault } from '../core/model/client.ts';
import type { Ports } from '../core/ports.ts';
import { resolveBox } from '../core/sandbox/box.ts';
import type { Session } from '../core/session/session.ts';
import { SessionManager, type ThreadConfig } from '../core/session/sessionManager.ts';
import { threadConfigOf } from '../core/session/threadConfig.ts';
import { DisposableStore } from '../core/util/disposable.ts';
import { createNodePorts } from '../node/ports.ts';
import { createRedactor } from '../node/redact.ts';
import type { TurnSettings } from '../protocol/event.ts';
import type { TurnOverrides } from '../protocol/op.ts';
import type { Settings } from '../protocol/settings.ts';
import { ApprovalPrompts } from '../vscode/approvalPrompts.ts';
import { ChatView } from '../vscode/chatView.ts';
import type { CommandHands } from '../vscode/commands.ts';
import { DiffPreview } from '../vscode/diffPreview.ts';
import { createChannel, createLog } from '../vscode/log.ts';
import { askKey, DEMO_PROVIDER, selectModel, useDemo } from '../vscode/modelPicker.ts';
import { handlePanelRequest } from '../vscode/panelRequests.ts';
import { pickThread } from '../vscode/pickers.ts';
import { KeyStore } from '../vscode/secrets.ts';
import { onSettingsChanged, readSettings } from '../vscode/settings.ts';
import { StatusBar } from '../vscode/statusBar.ts';
import { Threads } from '../vscode/threads.ts';
import { UndoPatch } from '../vscode/undoPatch.ts';
import { createEditorWorkspace } from '../vscode/workspace/workspace.ts';
import { land } from '../vscode/workspaceEdits.ts';
import { Connections } from './connections.ts';
import { landingHands } from './landingHands.ts';
import { panelSettings } from './panelSettings.ts';
import { PatchViews } from './patchViews.ts';
import { offerRecovery } from './recovery.ts';

declare const TILLER_VERSION: string;

/** Threads of a workspace that a list offers. */
const LISTED_THREADS = 200;

export interface Tiller extends CommandHands {
  /** Stops what runs and writes it down. */
  dispose(): Promise<void>;
}

export function compose(context: vscode.ExtensionContext): Tiller {
  const store = new DisposableStore();
  const channel = store.add(createChannel());
  const redactor = createRedactor();
  const log = createLog(channel, (text) => redactor.redact(text));
  const report = (error: unknown) => log.error('Tiller met an error of its own', error);
  const keys = new KeyStore(context.secrets, (key) => redactor.hide(key));
  const complain = (message: string) => void vscode.window.showWarningMessage(vscode.l10n.t('Tiller: {0}', message));
  const readOurSettings = () => readSettings(complain);

  const roots = () => (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const node = createNodePorts({ roots: roots() });
  const { home } = node.storage;
  const hands = landingHands(home, node.ids, log);
  const workspace = createEditorWorkspace({ ...hands, onLanded: (changes, origin) => undo.record(changes, origin) });
  const undo = new UndoPatch({ reader: workspace, land: (changes) => land(changes, hands) });
  const ports: Ports = { ...node, workspace, log, secrets: keys };

  const connections = new Connections();
  const manager = new SessionManager(ports, { version: TILLER_VERSION, originator: 'vscode' });
  const preview = store.add(new DiffPreview());
  // Chosen in the panel: for the next thread too, until the window closes.
  let chosen: TurnOverrides = {};

  async function configOf(settings: Settings): Promise<ThreadConfig> {
    const provider = await connections.provider(settings);
    const model = settings.provider === DEMO_PROVIDER ? DEMO_PROVIDER : settings.model;
    if (!provider || model === null) {
      throw new ModelFault('config', 'No model is selected.', { retryable: false, action: 'select_model' });
    }
    const { baseInstructionsFile } = settings;
    const config = threadConfigOf(settings, {
      provider,
      model,
      cwd: workingDirectory(),
      baseInstructions: baseInstructionsFile === null ? null : await readFile(baseInstructionsFile, 'utf8'),
      review: settings.review,
      interactive: true,
      boxFor: resolveBox,
      isTrusted: () => vscode.workspace.isTrusted,
      onProposal: (approvalId, changes) => preview.propose(approvalId, changes),
      undoTurn: (turnId) => patches.takeBack(turnId),
    });
    return { ...config, settings: withChoices(config.settings) };
  }

  const workingDirectory = () => (vscode.workspace.isTrusted ? roots()[0] : undefined) ?? node.host.homeDirectory;

  function withChoices(settings: TurnSettings): TurnSettings {
    const { policy, box, effort } = chosen;
    const sandboxPolicy = box ?? settings.sandboxPolicy;
    return {
      ...settings,
      approvalPolicy: policy ?? settings.approvalPolicy,
      effort: effort === undefined ? settings.effort : effort,
      sandboxPolicy,
      box: resolveBox(sandboxPolicy),
    };
  }

  const source = {
    start: async () => manager.start(await configOf(readOurSettings())),
    resume: async (id: string): Promise<Session | undefined> => {
      const resumed = await manager.resume({ id }, await configOf(readOurSettings()));
      if (resumed.type === 'resumed') return resumed.session;
      log.warn(resumed.message);
      return undefined;
    },
  };
  const threads = new Threads(source, context.workspaceState, report);

  /** What the next turn will run under, as far as it is known. */
  function currentSettings(settings: Settings): TurnSettings {
    const { state } = threads;
    const known = state?.settings ?? state?.turns.at(-1)?.settings;
    if (known) return known;
    const base = threadConfigOf(settings, {
      provider: { id: '', baseUrl: '', wireApi: 'responses' },
      model: settings.model ?? '',
      cwd: workingDirectory(),
      baseInstructions: null,
      review: settings.review,
      interactive: true,
      boxFor: resolveBox,
      isTrusted: () => vscode.workspace.isTrusted,
    });
    return withChoices(base.settings);
  }

  const patches = new PatchViews({ threads, preview, undo });
  store.add(patches);
  const view = new ChatView({
    extensionUri: context.extensionUri,
    build: TILLER_VERSION,
    threads,
    memento: context.workspaceState,
    settings: () => {
      const settings = readOurSettings();
      return panelSettings(settings, currentSettings(settings));
    },
    handle: (message) => {
      handlePanelRequest(message, {
        state: () => threads.state,
        submit: (op) => submit(op),
        override: (overrides) => {
          chosen = { ...chosen, ...overrides };
          if (threads.state) submit({ type: 'override_turn_context', ...overrides });
          view.sendSettings();
        },
        openChange: (id, file) => patches.open(id, file),
        insertText: (text) => view.insertText(text),
      }).catch(report);
    },
    log: (level, message) => log[level](message),
  });
  store.add(view);

  function submit(op: Parameters<Threads['submit']>[0]): void {
    threads.submit(op).catch((error: unknown) => {
      report(error);
      void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    });
  }

  const approvals = store.add(
    new ApprovalPrompts({
      threads,
      isPanelVisible: () => view.visible,
      showPanel: () => void vscode.commands.executeCommand('tiller.focus'),
    }),
  );
  store.add(new StatusBar(threads, () => currentSettings(readOurSettings()).box));
  store.add(
    threads.onChange(({ state }) => {
      view.setBadge((state?.approvals.length ?? 0) + (state?.questions.length ?? 0));
      void setContext('tiller.running', state !== null && state.activeTurnId !== null);
    }),
  );
  const settingsChanged = () => {
    const settings = readOurSettings();
    void setContext('tiller.hasModel', settings.model !== null || settings.provider === DEMO_PROVIDER);
    view.sendSettings();
  };
  store.add(onSettingsChanged(settingsChanged));
  store.add(vscode.workspace.onDidGrantWorkspaceTrust(settingsChanged));
  store.add(vscode.workspace.onDidChangeWorkspaceFolders(settingsChanged));
  settingsChanged();
  offerRecovery(home).catch(report);

  return {
    threads,
    view,
    approvals,
    answeredBy: (uri) => preview.approvalOf(uri),
    openProposal: () => patches.openProposal(approvals.current?.approvalId),
    undoPatch: (turnId) => patches.undo(turnId),
    setApiKey: async () => {
      const provider = await connections.provider(readOurSettings());
      if (provider) await askKey(new URL(provider.baseUrl).origin, keys);
    },
    selectModel: async () => {
      await selectModel(readOurSettings(), keys, ports.fetch);
      await changeModel();
    },
    selectThread: async () => {
      const here = new Set(roots());
      const known = (await manager.list(LISTED_THREADS)).filter(({ cwd }) => here.has(cwd));
      const choices = known.map(({ id, title, startedAt }) => ({
        id,
        title: title ?? vscode.l10n.t('Untitled'),
        startedAt: new Date(startedAt),
      }));
      const id = await pickThread(choices);
      if (id !== undefined) await threads.open(id);
    },
    useDemo: async () => {
      await useDemo();
      await vscode.commands.executeCommand('tiller.focus');
    },
    showLog: () => channel.show(true),
    dispose: async () => {
      await threads.dispose();
      store.dispose();
      await connections.dispose();
    },
  };

  /** Another server means another thread; another model of the same server goes on with this one. */
  async function changeModel(): Promise<void> {
    const { model, provider } = readOurSettings();
    const current = threads.state?.started;
    if (!current || model === null) return;
    if (current.provider === provider) submit({ type: 'override_turn_context', model });
    else await threads.clear();
  }
}

function setContext(key: string, value: boolean): Thenable<unknown> {
  return vscode.commands.executeCommand('setContext', key, value);
}
