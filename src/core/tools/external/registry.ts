import type { ToolContentItem } from '../../../protocol/item.ts';
import type { Disposable } from '../../util/disposable.ts';

/** The call as passed to the program that runs the tool. */
export interface ExternalCall {
  /** The working directory of the thread. */
  readonly cwd: string;
  /** Aborts when the turn is interrupted, the time is over or the tool was withdrawn. */
  readonly signal: AbortSignal;
}

/** A tool that other code of this process runs: of an extension, or one that VS Code knows. */
export interface ExternalTool {
  /** Identifies the owner of the tool, e.g. the id of the extension. */
  readonly owner: string;
  /** The name of the owner, for the user. */
  readonly ownerName: string;
  readonly name: string;
  readonly description: string;
  /** Any JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Milliseconds of one call. */
  readonly timeoutMs: number;
  /** Rejects when the tool fails. */
  invoke(input: Readonly<Record<string, unknown>>, call: ExternalCall): Promise<readonly ToolContentItem[]>;
}

export interface RegisteredTool {
  readonly tool: ExternalTool;
  /** Aborts when the tool is withdrawn. */
  readonly withdrawn: AbortSignal;
}

/** The tools that other code of this process has registered. Loads nothing: it is part of the activation. */
export class ExternalToolRegistry {
  #tools: readonly RegisteredTool[] = [];

  /** All tools in the order of owner and name, so that the same tools are the same bytes in every request. */
  get all(): readonly RegisteredTool[] {
    return this.#tools;
  }

  /** @throws Error when this owner has a tool of this name. Disposing withdraws the tool, also from calls that run. */
  register(tool: ExternalTool): Disposable {
    if (this.#tools.some((known) => known.tool.owner === tool.owner && known.tool.name === tool.name)) {
      throw new Error(`${tool.owner} has registered a tool ${tool.name} already.`);
    }
    const withdrawal = new AbortController();
    const registered = { tool, withdrawn: withdrawal.signal };
    this.#tools = [...this.#tools, registered].toSorted((one, other) => compare(one.tool, other.tool));
    return {
      dispose: () => {
        this.#tools = this.#tools.filter((known) => known !== registered);
        withdrawal.abort(new Error(`${tool.ownerName} has withdrawn this tool.`));
      },
    };
  }
}

function compare(one: ExternalTool, other: ExternalTool): number {
  const [first, second] = [`${one.owner}\n${one.name}`, `${other.owner}\n${other.name}`];
  return first < second ? -1 : first > second ? 1 : 0;
}
