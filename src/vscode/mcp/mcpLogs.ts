import * as vscode from 'vscode';
import type { McpServer } from '../../core/mcp/mcpServer.ts';
import { DisposableStore } from '../../core/util/disposable.ts';

/** The logs of MCP servers as output channels, each made when it is first shown. */
export class McpLogs implements vscode.Disposable {
  readonly #redact: (text: string) => string;
  readonly #store = new DisposableStore();
  readonly #shown = new Map<string, { readonly server: McpServer; readonly channel: vscode.OutputChannel }>();

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  show(server: McpServer): void {
    const known = this.#shown.get(server.name);
    const channel =
      known?.channel ??
      this.#store.add(vscode.window.createOutputChannel(vscode.l10n.t('Tiller MCP: {0}', server.name), 'log'));
    // A changed definition is another server under the same name.
    if (known?.server !== server) {
      channel.replace(`${this.#redact(server.log.text)}\n`);
      this.#store.add(server.log.onLine((line) => channel.appendLine(this.#redact(line))));
      this.#shown.set(server.name, { server, channel });
    }
    channel.show(true);
  }

  dispose(): void {
    this.#store.dispose();
  }
}
