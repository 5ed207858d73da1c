import { messageOf } from '../../util/fileErrors.ts';
import type { ToolHandler } from '../handler.ts';
import type { ToolApprovalDeps } from '../toolApproval.ts';
import type { ToolProvider } from '../toolProvider.ts';
import { externalTool } from './externalTool.ts';
import type { ExternalToolRegistry, RegisteredTool } from './registry.ts';

/**
 * The tools of other extensions, for one thread. They change between turns only, so that the prompt cache holds; one that is
 * withdrawn in a turn fails when it is called.
 */
export class ExternalTools implements ToolProvider {
  readonly id = 'extensions';
  readonly needsTrust = true;
  readonly #registry: Pick<ExternalToolRegistry, 'all'>;
  readonly #deps: ToolApprovalDeps;
  readonly #sync: () => void;
  #offered: readonly RegisteredTool[] | undefined;
  #tools: readonly ToolHandler[] = [];
  #leftOut: { readonly name: string; readonly source: string; readonly problem: string }[] = [];

  /** `sync`: called before each turn, for a registry that has to find its tools. */
  constructor(registry: Pick<ExternalToolRegistry, 'all'>, deps: ToolApprovalDeps, sync: () => void = () => {}) {
    this.#registry = registry;
    this.#deps = deps;
    this.#sync = sync;
  }

  turnStarts(): void {
    this.#sync();
    const { all } = this.#registry;
    if (all === this.#offered) return;
    this.#offered = all;
    this.#leftOut = [];
    this.#tools = all.flatMap((registered) => this.#made(registered));
  }

  leftOut() {
    return this.#leftOut;
  }

  tools(): readonly ToolHandler[] {
    if (this.#offered === undefined) this.turnStarts();
    return this.#tools;
  }

  /** A definition is what another extension wrote: a schema may be circular, or too deep to be sent. */
  #made(registered: RegisteredTool): readonly ToolHandler[] {
    try {
      return [externalTool(registered, this.#deps)];
    } catch (error) {
      const { name, ownerName } = registered.tool;
      this.#leftOut.push({ name, source: ownerName, problem: messageOf(error) });
      return [];
    }
  }
}
