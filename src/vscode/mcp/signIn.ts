import * as vscode from 'vscode';
import type { McpRedirect, McpSecrets } from '../../core/mcp/authorization.ts';
import { onAbort } from '../../core/util/abort.ts';

const PATH = '/mcp-auth';
/** The prefix of authorizations among the secrets of the extension. */
const PREFIX = 'mcp:';

/** Authorizations in the keychain of the machine, each under the address of its server. */
export function mcpSecretsIn(storage: vscode.SecretStorage): McpSecrets {
  return {
    read: async (key) => storage.get(PREFIX + key),
    write: async (key, text) => {
      if (text === undefined) await storage.delete(PREFIX + key);
      else await storage.store(PREFIX + key, text);
    },
  };
}

/**
 * Takes the user back from authorization servers: by an address that VS Code opens in this window. The owner registers it as
 * the handler of these addresses.
 */
export class SignInHandler implements vscode.Disposable, vscode.UriHandler {
  readonly #extensionId: string;
  readonly #returned = new vscode.EventEmitter<URLSearchParams>();

  constructor(extensionId: string) {
    this.#extensionId = extensionId;
  }

  handleUri({ path, query }: vscode.Uri): void {
    if (path === PATH) this.#returned.fire(new URLSearchParams(query));
  }

  async redirect(): Promise<McpRedirect> {
    const own = vscode.Uri.parse(`${vscode.env.uriScheme}://${this.#extensionId}${PATH}`);
    const external = await vscode.env.asExternalUri(own);
    return {
      url: external.toString(true),
      open: async (page) => {
        if (!/^https?:$/.test(page.protocol)) throw new Error(`${page.protocol} is no web page.`);
        await vscode.env.openExternal(vscode.Uri.parse(page.href));
      },
      callback: (state, signal) =>
        new Promise((resolve, reject) => {
          let forget = () => {};
          const end = () => {
            listening.dispose();
            forget();
          };
          const listening = this.#returned.event((answer) => {
            if (answer.get('state') !== state) return;
            end();
            resolve(answer);
          });
          forget = onAbort(signal, () => {
            end();
            reject(signal.reason);
          });
        }),
    };
  }

  dispose(): void {
    this.#returned.dispose();
  }
}
