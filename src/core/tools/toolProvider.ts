import type { EventMsgOf } from '../../protocol/event.ts';
import type { DynamicToolSpec } from '../../protocol/op.ts';
import type { Disposable } from '../util/disposable.ts';
import { builtinTools } from './builtin.ts';
import type { DynamicCalls } from './dynamicCalls.ts';
import type { ToolFamily, ToolHandler, ToolOptions } from './handler.ts';
import { dynamicTool } from './handlers/dynamicTool.ts';
import { getMemory, type ReadMemory } from './handlers/getMemory.ts';
import { requestUserInput } from './handlers/requestUserInput.ts';
import { updatePlan } from './handlers/updatePlan.ts';

/** A source of tools: built in, of the client, or of MCP servers. */
export interface ToolProvider {
  readonly id: string;
  /** True when the tools are left out in an untrusted workspace. */
  readonly needsTrust: boolean;
  /**
   * The tools for a model of this family. Returns the same array while nothing has changed, so that the prompt cache
   * holds.
   */
  tools(family: ToolFamily): readonly ToolHandler[];
  /** Tools that `tools` leaves out because they cannot be offered; the problem is a clause. */
  leftOut?(): readonly { readonly name: string; readonly source?: string; readonly problem: string }[];
  /** Called before each turn: a change that is not possible during a turn may be made now. */
  turnStarts?(): void;
  /**
   * Resolves when a turn can start. Returns one sentence when it cannot, because something that the user demands is not
   * there. `servers`: MCP servers whose calls run first, and that are waited for, too. `mayCall`: false for the prefix
   * of the names of tools that are not offered, and so need not be there. Rejects only with the signal's reason.
   */
  ready?(
    signal: AbortSignal,
    servers?: readonly string[],
    mayCall?: (toolPrefix: string) => boolean,
  ): Promise<string | undefined>;
  /** Instructions for the tools of the next request, each with the name of its source. Not trusted. */
  instructions?(): readonly ToolInstructions[];
  /** Calls the listener with the state of each source of tools, now and after each change. */
  watch?(listener: (status: EventMsgOf<'mcp_status'>) => void): Disposable;
}

export interface ToolInstructions {
  readonly source: string;
  readonly text: string;
  /** The common prefix of the tool names that the instructions concern; absent: all tools of the provider. */
  readonly toolPrefix?: string;
}

/** Tools that run commands and change files. */
export class BuiltinTools implements ToolProvider {
  readonly id = 'builtin';
  readonly needsTrust = true;
  readonly #options: ToolOptions;
  #made: { readonly key: string; readonly tools: readonly ToolHandler[] } | undefined;

  constructor(options: ToolOptions) {
    this.#options = options;
  }

  tools(family: ToolFamily): readonly ToolHandler[] {
    const key = JSON.stringify(family);
    if (this.#made?.key !== key) this.#made = { key, tools: builtinTools(family, this.#options) };
    return this.#made.tools;
  }
}

/** Tools that read, run and write nothing. */
const HARMLESS: readonly ToolHandler[] = [updatePlan];
const HARMLESS_WITH_QUESTIONS = [...HARMLESS, requestUserInput({ offered: true })];
/** For a model that is not offered questions: a call of the tool is answered nevertheless. */
const HARMLESS_WITHOUT_QUESTIONS = [...HARMLESS, requestUserInput({ offered: false })];

/** Tools without side effects: also offered in an untrusted workspace. */
export const harmlessTools: ToolProvider = {
  id: 'harmless',
  needsTrust: false,
  tools: ({ userQuestions }) => (userQuestions ? HARMLESS_WITH_QUESTIONS : HARMLESS_WITHOUT_QUESTIONS),
};

/** Reads memories of other threads, which may be of an untrusted workspace. */
export function memoryTools(read: ReadMemory): ToolProvider {
  const tools = [getMemory(read)];
  return { id: 'memory', needsTrust: true, tools: () => tools };
}

/** Tools that the client of a session runs itself ("dynamic tools" of Codex). */
export class ClientTools implements ToolProvider {
  readonly id = 'client';
  readonly needsTrust = true;
  readonly #calls: DynamicCalls;
  #tools: readonly ToolHandler[] = [];

  constructor(calls: DynamicCalls) {
    this.#calls = calls;
  }

  register(tools: readonly DynamicToolSpec[]): void {
    this.#tools = tools.map((tool) => dynamicTool(tool, this.#calls));
  }

  tools(): readonly ToolHandler[] {
    return this.#tools;
  }
}
