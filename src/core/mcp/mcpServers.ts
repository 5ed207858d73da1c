import { abortable } from '../util/abort.ts';
import type { Disposable } from '../util/disposable.ts';
import { Emitter } from '../util/emitter.ts';
import type { McpDefinition } from './connection.ts';
import { McpServer, type McpServerDeps } from './mcpServer.ts';

/** The configuration of all MCP servers of a process. */
export interface McpConfiguration {
  /** All, the ones that are not enabled included. */
  readonly definitions: readonly McpDefinition[];
}

/**
 * All MCP servers of this process, used by all of its threads. They are started in parallel, and none waits for another.
 */
export class McpServers implements Disposable {
  readonly #deps: McpServerDeps;
  readonly #changes: Emitter<McpServer>;
  #servers = new Map<string, { readonly server: McpServer; readonly listening: Disposable }>();
  /** By name: the servers that are being ended. A new one with the same name is started afterwards. */
  readonly #ending = new Map<string, Promise<unknown>>();

  constructor(deps: McpServerDeps) {
    this.#deps = deps;
    this.#changes = new Emitter(deps.onError);
  }

  /** Sorted by name. */
  get all(): readonly McpServer[] {
    return [...this.#servers.values()]
      .map(({ server }) => server)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  get(name: string): McpServer | undefined {
    return this.#servers.get(name)?.server;
  }

  /** Fires with each server whose status or tools have changed, or that was removed. */
  get onChange(): Emitter<McpServer>['event'] {
    return this.#changes.event;
  }

  /** Starts new and changed servers, and ends those that are gone; the others keep running. Returns at once. */
  configure({ definitions }: McpConfiguration): void {
    const wanted = new Map(definitions.map((definition) => [definition.name, definition]));
    for (const [name, { server, listening }] of this.#servers) {
      const definition = wanted.get(name);
      if (definition && isSame(definition, server.definition)) continue;
      this.#servers.delete(name);
      listening.dispose();
      this.#end(server);
      this.#changes.fire(server);
    }
    for (const [name, definition] of wanted) {
      if (this.#servers.has(name)) continue;
      const server = new McpServer(definition, this.#deps, this.#ending.get(name));
      const listening = server.onChange(() => this.#changes.fire(server));
      this.#servers.set(name, { server, listening });
      if (definition.settings.enabled) void server.start();
      else this.#changes.fire(server);
    }
  }

  /** Resolves when the servers that `isAwaited` names have started or failed. Rejects with the signal's reason. */
  async settled(isAwaited: (server: McpServer) => boolean, signal: AbortSignal): Promise<void> {
    await abortable(Promise.all(this.all.filter(isAwaited).map((server) => server.settled)), signal);
  }

  /** Ends all servers; resolves when they have ended. */
  async close(): Promise<void> {
    for (const server of this.all) this.#end(server);
    for (const { listening } of this.#servers.values()) listening.dispose();
    this.#servers = new Map();
    await Promise.all(this.#ending.values());
  }

  #end(server: McpServer): void {
    const { name } = server;
    const ending = Promise.all([this.#ending.get(name), server.stop()]).finally(() => {
      if (this.#ending.get(name) === ending) this.#ending.delete(name);
    });
    this.#ending.set(name, ending);
  }

  dispose(): void {
    void this.close();
    this.#changes.dispose();
  }
}

function isSame(one: McpDefinition, other: McpDefinition): boolean {
  return one.hash === other.hash && JSON.stringify(one.settings) === JSON.stringify(other.settings);
}
