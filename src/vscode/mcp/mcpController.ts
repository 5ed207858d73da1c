import * as vscode from 'vscode';
import type { DefinitionPlace } from '../../core/mcp/definitions.ts';
import type { McpServers } from '../../core/mcp/mcpServers.ts';
import { type NamedServer, type SelectedServer, selectServers } from '../../core/mcp/selectServers.ts';
import type { Trust, TrustDecision, TrustQuestion } from '../../core/trust/trust.ts';
import { MAX_FILE_BYTES, readWorkspaceFile, WORKSPACE_FILES } from '../../core/mcp/workspaceFiles.ts';
import { entryProblem, parseMcpServers } from '../../protocol/mcp.ts';
import type { Settings } from '../../protocol/settings.ts';
import { DisposableStore } from '../../core/util/disposable.ts';
import { announceOnce } from '../ui/announceOnce.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';
import { confirmServer, outsideText, proposalText } from './confirmServer.ts';

export interface McpControllerDeps {
  readonly servers: McpServers;
  readonly trust: Trust;
  readonly settings: () => Pick<Settings, 'mcpServers'>;
  readonly homeDirectory: string;
  readonly environment: DefinitionPlace['environment'];
  readonly memento: vscode.Memento;
  /** Opens the list of servers. */
  readonly showServers: () => void;
  readonly report: (error: unknown) => void;
}

/** Proposals that were shown in a notification, by hash. */
const SEEN = 'tiller.seenMcpServers';

/** Which MCP servers this window runs: those of the settings, and those of the workspace that the user has approved. */
export class McpController implements vscode.Disposable {
  readonly #deps: McpControllerDeps;
  readonly #store = new DisposableStore();
  #selected: readonly SelectedServer[] = [];
  #refreshing: Promise<void> | undefined;
  /** Settles when the last decision of the user is in effect. */
  #decided: Promise<unknown> = Promise.resolve();
  /** Servers that the user was asked about, by hash. */
  readonly #asked = new Set<string>();

  constructor(deps: McpControllerDeps) {
    this.#deps = deps;
  }

  /** Every server that an entry names, and its state. */
  get selected(): readonly SelectedServer[] {
    return this.#selected;
  }

  /**
   * Starts the servers when a thread first needs them, and follows settings and files from then on. Resolves when they are
   * as the user has decided until now.
   */
  async configured(): Promise<void> {
    if (this.#refreshing === undefined) this.#watch();
    this.#refreshing ??= this.#refresh();
    await this.#decided;
    await this.#refreshing;
  }

  /** Reads settings and files again, if anything has needed the servers before. */
  async refresh(): Promise<void> {
    if (this.#refreshing === undefined) return;
    await this.#refreshing;
    this.#refreshing = this.#refresh();
    await this.#refreshing;
  }

  /**
   * Keeps the user's decision on the shown definition. Where the entry has changed since, the
   * decision is dropped, and the servers are shown again.
   */
  async decide(shown: SelectedServer, about: TrustQuestion, decision: TrustDecision): Promise<void> {
    const decided = this.#decide(shown, about, decision);
    this.#decided = Promise.allSettled([this.#decided, decided]);
    await decided;
  }

  async #decide(shown: SelectedServer, about: TrustQuestion, decision: TrustDecision): Promise<void> {
    if (shown.type === 'problem') return;
    const { hash } = shown.definition;
    await this.refresh();
    if (
      decision === 'approved' &&
      !this.#selected.some((server) => server.type !== 'problem' && server.definition.hash === hash)
    ) {
      const changed = vscode.l10n.t(
        'The entry of {0} has changed, so nothing was approved. Look at it again.',
        shown.name,
      );
      void vscode.window.showWarningMessage(changed);
      this.#deps.showServers();
      return;
    }
    await this.#deps.trust.decide(hash, about, decision);
    await this.refresh();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #watch(): void {
    const refresh = () => void this.refresh().catch(this.#deps.report);
    for (const { file } of WORKSPACE_FILES) {
      for (const folder of vscode.workspace.workspaceFolders ?? []) {
        const watcher = this.#store.add(
          vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, file)),
        );
        this.#store.add(watcher.onDidChange(refresh));
        this.#store.add(watcher.onDidCreate(refresh));
        this.#store.add(watcher.onDidDelete(refresh));
      }
    }
  }

  /** Never rejects. */
  async #refresh(): Promise<void> {
    const { servers, trust, settings, homeDirectory, environment, report } = this.#deps;
    try {
      const own = parseMcpServers(settings().mcpServers);
      const found = await this.#inWorkspace();
      const [folder] = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
      const named = [...own.servers].map(([name, entry]): NamedServer => ({ name, settings: entry }));
      const place = { folder: folder?.uri.fsPath ?? homeDirectory, homeDirectory, environment };
      this.#selected = await selectServers([...named, ...found.servers], place, trust);
      // Without trust their tools are not offered, so none is started.
      const started = vscode.workspace.isTrusted ? this.#selected : [];
      servers.configure({
        definitions: started.flatMap((server) => (server.type === 'start' ? [server.definition] : [])),
      });
      for (const server of this.#selected) this.#ask(server).catch(report);
      this.#warn([...own.problems.map((problem) => entryProblem('tiller.mcpServers', problem)), ...found.problems]);
    } catch (error) {
      report(error);
    }
  }

  async #inWorkspace(): Promise<{ readonly servers: readonly NamedServer[]; readonly problems: readonly string[] }> {
    if (!vscode.workspace.isTrusted) return { servers: [], problems: [] };
    const servers: NamedServer[] = [];
    const problems: string[] = [];
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      for (const known of WORKSPACE_FILES) {
        const uri = vscode.Uri.joinPath(folder.uri, known.file);
        const text = await textOf(uri);
        if (text === undefined) continue;
        const read = readWorkspaceFile(text, known);
        problems.push(...read.problems);
        for (const [name, settings] of read.servers) servers.push({ name, settings, file: uri.fsPath });
      }
    }
    return { servers, problems };
  }

  /** Asks once for each definition; afterwards it stays in the list of servers. */
  async #ask(server: SelectedServer): Promise<void> {
    if (server.type !== 'proposed' && server.type !== 'outside') return;
    const { hash } = server.definition;
    if (this.#asked.has(hash)) return;
    this.#asked.add(hash);
    if (server.type === 'proposed') return this.#announce(server, hash);
    const show = vscode.l10n.t('Show Details…');
    if ((await vscode.window.showWarningMessage(withoutLinks(outsideText(server)), show)) !== show) return;
    if (await confirmServer(server, 'outside')) await this.decide(server, 'outside', 'approved');
  }

  async #announce(server: SelectedServer, hash: string): Promise<void> {
    const { memento, showServers } = this.#deps;
    await announceOnce([{ hash }], {
      memento,
      key: SEEN,
      sentence: () => proposalText(server),
      button: vscode.l10n.t('Show MCP Servers'),
      show: showServers,
    });
  }

  #warn(problems: readonly string[]): void {
    for (const problem of problems) {
      if (this.#asked.has(problem)) continue;
      this.#asked.add(problem);
      void vscode.window.showWarningMessage(vscode.l10n.t('Tiller: {0}', withoutLinks(problem)));
    }
  }
}

async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  try {
    // A longer one is cut, and so not valid.
    return new TextDecoder().decode((await vscode.workspace.fs.readFile(uri)).subarray(0, MAX_FILE_BYTES));
  } catch {
    return undefined;
  }
}
