import * as vscode from 'vscode';
import type { McpTool } from '../../core/mcp/connection.ts';
import type { McpServer } from '../../core/mcp/mcpServer.ts';
import type { McpServers } from '../../core/mcp/mcpServers.ts';
import type { ImportHost } from '../../core/mcp/importedServers.ts';
import { describeServer, type SelectedServer } from '../../core/mcp/selectServers.ts';
import { hasUsableSchema, usableTools } from '../../core/mcp/usableTools.ts';
import type { Trust, TrustQuestion } from '../../core/trust/trust.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';
import { assertNever } from '../../core/util/assertNever.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import type { Settings } from '../../protocol/settings.ts';
import { writeSetting } from '../settings.ts';
import { withoutIcons, withoutLinks } from '../ui/escapeUiText.ts';
import {
  decisionItems,
  type ListItem,
  listItem,
  type StateLabel,
  openItem,
  settingItem,
  showList,
  unusedStateLabel,
} from '../ui/proposalList.ts';
import { reportImport } from '../ui/reportImport.ts';
import { addServer } from './addServer.ts';
import { confirmServer } from './confirmServer.ts';
import { importServers } from './importServers.ts';
import type { McpController } from './mcpController.ts';
import type { McpLogs } from './mcpLogs.ts';

export interface McpCommandDeps {
  readonly servers: Pick<McpServers, 'get'>;
  readonly trust: Trust;
  readonly controller: McpController;
  readonly logs: McpLogs;
  readonly settings: () => Pick<Settings, 'mcpServers'>;
  /** The machine whose other products are looked at. */
  readonly host: ImportHost;
  /** Lets the user authorize Tiller at a server. @throws Error with a sentence for the user */
  readonly signIn: (server: McpServer, signal: AbortSignal) => Promise<void>;
}

const SETTING = 'tiller.mcpServers';

/** "Show MCP Servers": the list of servers with their states, and the actions on each. */
export class McpCommands {
  readonly #deps: McpCommandDeps;

  constructor(deps: McpCommandDeps) {
    this.#deps = deps;
  }

  async showServers(): Promise<void> {
    const { controller } = this.#deps;
    await controller.configured();
    const items = controller.selected.map((server) => this.#itemOf(server));
    const add = item(vscode.l10n.t('$(add) Add Server…'), () => this.#add());
    const importing = item(vscode.l10n.t('$(cloud-download) Import from Other Products…'), () => this.importServers());
    await showList([...items, add, importing, settingItem(SETTING)], {
      title: vscode.l10n.t('MCP Servers'),
      placeHolder: vscode.l10n.t('Select a server to see its tools and log, to restart it, or to turn it off'),
    });
  }

  /** "Import MCP Servers…": adds servers that other products have on this machine. */
  async importServers(): Promise<void> {
    const { controller, settings, host } = this.#deps;
    const end = await importServers(host, Object.keys(settings().mcpServers));
    if (end === undefined) return;
    await controller.refresh();
    const done = vscode.l10n.t('MCP servers added: {0}.', end.added);
    await Promise.all([reportImport(done, end.leftOut), this.showServers()]);
  }

  async #add(): Promise<void> {
    const { controller, settings, host } = this.#deps;
    if (!(await addServer(Object.keys(settings().mcpServers), host.homeDirectory))) return;
    await controller.refresh();
    await this.showServers();
  }

  #itemOf(server: SelectedServer): ListItem {
    const { name, settings, file } = server;
    return listItem({
      ...this.#stateLabelOf(server),
      name,
      source: file,
      detail: describeServer(settings),
      run: () => this.#act(server),
    });
  }

  #stateLabelOf(server: SelectedServer): StateLabel {
    switch (server.type) {
      case 'proposed':
      case 'refused':
        return unusedStateLabel(server.type);
      case 'outside':
        return { icon: 'question', word: vscode.l10n.t('Not started: it leaves the sandbox') };
      case 'problem':
        return { icon: 'error', word: server.message };
      case 'start':
        return liveStateLabel(this.#deps.servers.get(server.name));
      default:
        return assertNever(server);
    }
  }

  async #act(server: SelectedServer): Promise<void> {
    await showList(this.#actionsOf(server), {
      title: vscode.l10n.t('MCP Server {0}', server.name),
      placeHolder: this.#stateLabelOf(server).word,
    });
  }

  #actionsOf(server: SelectedServer): readonly ListItem[] {
    const { servers, trust, logs } = this.#deps;
    const live = servers.get(server.name);
    const actions: ListItem[] = [];
    if (server.type === 'outside') {
      actions.push(
        item(vscode.l10n.t('$(warning) Start Outside the Sandbox…'), () => this.#approve(server, 'outside')),
      );
    }
    if (server.type === 'start' && live) actions.push(...this.#liveActions(server, live));
    actions.push(...this.#decisions(server));
    if (live) actions.push(item(vscode.l10n.t('$(output) Show Log'), () => logs.show(live)));
    if (server.type !== 'problem') {
      const forget = () => trust.forgetTools(server.definition.hash);
      actions.push(item(vscode.l10n.t('$(trash) Forget Approvals of Its Tools'), forget));
    }
    actions.push(server.file === undefined ? settingItem(SETTING) : openItem(server.file));
    return actions;
  }

  /** The decisions that the user can make about a server of a workspace file. */
  #decisions(server: SelectedServer): readonly ListItem[] {
    if (server.file === undefined || server.type === 'problem') return [];
    const { type } = server;
    return decisionItems({
      state: type === 'proposed' || type === 'refused' ? type : 'used',
      approve: {
        label: vscode.l10n.t('$(check) Approve and Start…'),
        run: () => this.#approve(server, 'proposal'),
      },
      decide: (decision) => this.#deps.controller.decide(server, 'proposal', decision),
    });
  }

  async #approve(server: SelectedServer, about: TrustQuestion): Promise<void> {
    if (await confirmServer(server, about)) await this.#deps.controller.decide(server, about, 'approved');
  }

  #liveActions(server: SelectedServer, live: McpServer): readonly ListItem[] {
    const { enabled } = server.settings;
    const actions: ListItem[] = [];
    if (enabled && live.status.type === 'needs_auth') {
      actions.push(item(vscode.l10n.t('$(sign-in) Sign In…'), () => this.#signIn(live)));
    }
    if (enabled) actions.push(item(vscode.l10n.t('$(debug-restart) Restart'), () => live.restart()));
    if (enabled && live.status.type !== 'stopped') {
      actions.push(item(vscode.l10n.t('$(debug-stop) Stop'), () => live.stop()));
    }
    if (live.status.type === 'ready') actions.push(item(vscode.l10n.t('$(tools) Show Tools'), () => showTools(live)));
    if (server.file === undefined) {
      const label = enabled ? vscode.l10n.t('$(circle-slash) Disable') : vscode.l10n.t('$(check) Enable');
      actions.push(item(label, () => this.#enable(server.name, !enabled)));
    }
    return actions;
  }

  /** The browser may never come back, so the user can cancel the wait. */
  async #signIn(server: McpServer): Promise<void> {
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Signing in to {0} in the browser', server.name),
      cancellable: true,
    };
    await vscode.window.withProgress(options, async (_progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort(new Error('Cancelled.')));
      try {
        await this.#deps.signIn(server, abort.signal);
      } catch (error) {
        if (!abort.signal.aborted) void vscode.window.showErrorMessage(withoutLinks(messageOf(error)));
      }
    });
  }

  async #enable(name: string, enabled: boolean): Promise<void> {
    const { mcpServers } = this.#deps.settings();
    const entry = mcpServers[name];
    if (typeof entry !== 'object' || entry === null) return;
    await writeSetting('mcpServers', { ...mcpServers, [name]: { ...entry, enabled } });
  }
}

function item(label: string, run: () => unknown): ListItem {
  return { label, run };
}

function liveStateLabel(server: McpServer | undefined): StateLabel {
  if (server === undefined) return { icon: 'circle-outline', word: '' };
  const { status, definition } = server;
  if (!definition.settings.enabled) return { icon: 'circle-slash', word: vscode.l10n.t('Disabled') };
  switch (status.type) {
    case 'ready': {
      const { length } = usableTools(status.tools);
      const leftOut = status.tools.length - length;
      const word = vscode.l10n.t('Ready, {0} tools', length);
      if (leftOut === 0) return { icon: 'check', word };
      return { icon: 'warning', word: vscode.l10n.t('{0}, {1} left out', word, leftOut) };
    }
    case 'starting':
      return { icon: 'loading~spin', word: vscode.l10n.t('Starting') };
    case 'stopped':
      return { icon: 'circle-outline', word: vscode.l10n.t('Stopped') };
    case 'needs_auth':
      return { icon: 'lock', word: status.message };
    case 'failed':
      return { icon: 'error', word: status.message };
    default:
      return assertNever(status);
  }
}

/** The tools as the server describes them; choosing one has no effect. */
async function showTools(server: McpServer): Promise<void> {
  if (server.status.type !== 'ready') return;
  const { tools } = server.status;
  const usable = usableTools(tools);
  const items = tools.map((tool) => ({
    label: withoutIcons(tool.name),
    description: hintOf(tool, usable.includes(tool)),
    detail: withoutIcons(inOneLine(tool.description ?? '')),
  }));
  await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Tools of {0}', server.name), matchOnDetail: true });
}

function hintOf(tool: McpTool, isOffered: boolean): string {
  if (!hasUsableSchema(tool)) return vscode.l10n.t('left out: its schema is too long for a request');
  if (!isOffered) return vscode.l10n.t('left out: the server has too many tools');
  return tool.annotations?.readOnlyHint === true ? vscode.l10n.t('says that it only reads') : '';
}
