import type { EventMsgOf, TurnSettings } from '../../protocol/event.ts';
import type { DynamicToolSpec } from '../../protocol/op.ts';
import { commandsMayConnect } from '../../protocol/policy.ts';
import { DynamicCalls } from '../tools/dynamicCalls.ts';
import type { Languages } from '../ports.ts';
import { type TestPlace, testTools } from '../tools/testRun/testTools.ts';
import { codeTools } from '../tools/code/codeTools.ts';
import type { ToolFamily, ToolHandler, ToolOptions } from '../tools/handler.ts';
import type { ReadMemory } from '../tools/handlers/getMemory.ts';
import { type Rejected, ToolRegistry } from '../tools/registry.ts';
import {
  BuiltinTools,
  ClientTools,
  harmlessTools,
  memoryTools,
  type ToolInstructions,
  type ToolProvider,
} from '../tools/toolProvider.ts';
import { type Disposable, DisposableStore } from '../util/disposable.ts';
import { messageOf } from '../util/fileErrors.ts';
import type { ThreadHost, ThreadSettings } from './sessionOptions.ts';

export interface ToolsetOptions {
  readonly settings: ThreadSettings['tools'];
  readonly host: Pick<ThreadHost, 'isTrusted' | 'toolProviders' | 'replaceTool' | 'review'>;
  /** The rules in force in a working directory. */
  readonly rules: ToolOptions['rules'];
  /** Reads the memory of a thread; used if the settings enable it. */
  readonly readMemory: ReadMemory;
  /** Finds the test command of the working directory; without it there is no `run_tests`. */
  readonly testPlace?: TestPlace | undefined;
  /** Queries language servers; only in an editor. */
  readonly languages?: Languages | undefined;
  /** The tools for sub-agents. */
  readonly agentTools?: ToolProvider | undefined;
  /** Reports a tool that is left out. Once per name. */
  readonly onRejected: (rejected: Rejected) => void;
}

/**
 * The tools of one thread, in the order of their providers: built in (with those of the editor), then those of the
 * client, then those of servers. Of two tools with the same name the first one is kept.
 */
export class Toolset {
  /** Calls of the tools of the client that it has not answered. */
  readonly clientCalls = new DynamicCalls();
  readonly #client = new ClientTools(this.clientCalls);
  readonly #providers: readonly ToolProvider[];
  readonly #options: Pick<ToolsetOptions, 'host' | 'onRejected'>;
  readonly #reported = new Set<string>();
  readonly #limits: ToolLimits | undefined;
  #current: { readonly arrays: readonly (readonly ToolHandler[])[]; readonly registry: ToolRegistry } | undefined;

  constructor({ settings, host, rules, readMemory, testPlace, languages, agentTools, onRejected }: ToolsetOptions) {
    this.#options = { host, onRejected };
    const limits = limitsIn(settings);
    this.#limits = limits;
    const review = host.review ?? (() => settings.review);
    const builtin = new BuiltinTools({ ...settings, review, rules });
    const tests = testPlace ? [testTools({ ...settings, rules }, testPlace)] : [];
    const memory = settings.memory ? [memoryTools(readMemory)] : [];
    const mayChange = limits === undefined || isOffered('apply_patch', limits);
    const code = languages ? [codeTools(languages, review, mayChange)] : [];
    const agents = agentTools ? [agentTools] : [];
    const providers = [
      builtin,
      ...tests,
      ...code,
      harmlessTools,
      ...memory,
      ...agents,
      this.#client,
      ...(host.toolProviders ?? []),
    ];
    const { replaceTool } = host;
    const offered = limits ? providers.map((provider) => limited(provider, limits)) : providers;
    this.#providers = replaceTool
      ? offered.map((provider) => mapped(provider, (tools) => tools.map(replaceTool)))
      : offered;
  }

  /** Replaces the client's tools. */
  register(tools: readonly DynamicToolSpec[]): void {
    this.#client.register(tools);
  }

  /** Call before each turn: sources whose tools change apply their changes now. A source that fails keeps its tools. */
  turnStarts(): void {
    for (const provider of this.#trusted) {
      try {
        provider.turnStarts?.();
      } catch (error) {
        this.#report({ providerId: provider.id, problem: messageOf(error) });
      }
    }
  }

  /**
   * Returns one sentence if no turn can start; waits for the servers that the user requires. Rejects only with the
   * signal's reason.
   */
  async ready(signal: AbortSignal, servers?: readonly string[]): Promise<string | undefined> {
    const problems = await Promise.all(this.#trusted.map(async (provider) => provider.ready?.(signal, servers)));
    return problems.find((problem) => problem !== undefined);
  }

  /** The instructions for the model that tool providers supply. */
  instructions(): readonly ToolInstructions[] {
    return this.#trusted.flatMap((provider) => provider.instructions?.() ?? []);
  }

  /** Calls the listener with the state of each source of tools, now and after each change. */
  watch(listener: (status: EventMsgOf<'mcp_status'>) => void): Disposable {
    const store = new DisposableStore();
    for (const provider of this.#providers) if (provider.watch) store.add(provider.watch(listener));
    return store;
  }

  get #trusted(): readonly ToolProvider[] {
    const trusted = this.#options.host.isTrusted();
    return this.#providers.filter(({ needsTrust }) => trusted || !needsTrust);
  }

  /** The tools of one round, for the prompt and for dispatch. The same object while nothing changes. */
  registryFor(family: ToolFamily, settings?: Pick<TurnSettings, 'sandboxPolicy'>): ToolRegistry {
    const providers = this.#trusted;
    const mayConnect = settings !== undefined && commandsMayConnect(settings.sandboxPolicy);
    const ofTurn = { ...family, mayConnect };
    const needed = this.#limits ? familyFor(ofTurn, this.#limits) : ofTurn;
    const arrays = providers.map((provider) => this.#toolsOf(provider, needed));
    const known = this.#current;
    const isSame = known?.arrays.length === arrays.length && arrays.every((array, at) => array === known.arrays[at]);
    if (known && isSame) return known.registry;
    const registry = new ToolRegistry(providers.map(({ id }, at) => ({ id, tools: arrays[at] ?? [] })));
    this.#current = { arrays, registry };
    for (const rejected of registry.rejected) this.#report(rejected);
    for (const provider of providers) {
      for (const rejected of provider.leftOut?.() ?? []) this.#report({ ...rejected, providerId: provider.id });
    }
    return registry;
  }

  /** A provider that fails has no tools in this round; those of the others stay. */
  #toolsOf(provider: ToolProvider, family: ToolFamily): readonly ToolHandler[] {
    try {
      return provider.tools(family);
    } catch (error) {
      this.#report({ providerId: provider.id, problem: messageOf(error) });
      return NO_TOOLS;
    }
  }

  #report(rejected: Rejected): void {
    const key = [rejected.providerId, rejected.source ?? '', rejected.name ?? ''].join('\n');
    if (!this.#reported.has(key)) this.#options.onRejected(rejected);
    this.#reported.add(key);
  }
}

const NO_TOOLS: readonly ToolHandler[] = [];

/** The names of the tools that a sub-agent may or may not use. */
interface ToolLimits {
  /** `undefined`: all. */
  readonly allowed: readonly string[] | undefined;
  readonly denied: readonly string[];
}

function limitsIn({ allowed, denied = [] }: ThreadSettings['tools']): ToolLimits | undefined {
  return allowed === undefined && denied.length === 0 ? undefined : { allowed, denied };
}

/** A model that reads files by commands needs tools for it where it may run none. */
function familyFor(family: ToolFamily, limits: ToolLimits): ToolFamily {
  return isOffered('exec_command', limits) ? family : { ...family, fileTools: true };
}

/** Returns the provider without the tools that the agent may not call, their instructions, and waits for them. */
function limited(provider: ToolProvider, limits: ToolLimits): ToolProvider {
  const mayCall = (toolPrefix: string) => mayOffer(toolPrefix, limits);
  return {
    ...mapped(provider, (tools) => tools.filter(({ names }) => isToolOffered(names, limits))),
    ready: async (signal, servers) => provider.ready?.(signal, servers, mayCall),
    instructions: () =>
      (provider.instructions?.() ?? []).filter(({ toolPrefix }) => toolPrefix === undefined || mayCall(toolPrefix)),
  };
}

/** A tool is allowed by any of its names, and denied by any. */
function isToolOffered(names: readonly string[], { allowed, denied }: ToolLimits): boolean {
  const isNamedIn = (list: readonly string[]) => names.some((name) => isIn(name, list));
  return (allowed === undefined || isNamedIn(allowed)) && !isNamedIn(denied);
}

function isOffered(name: string, limits: ToolLimits): boolean {
  return isToolOffered([name], limits);
}

/** Returns true if the list has the tool; the name of an MCP server includes all of its tools. */
function isIn(name: string, list: readonly string[]): boolean {
  return list.some(
    (entry) => entry === '*' || entry === name || (entry.startsWith('mcp__') && name.startsWith(`${entry}__`)),
  );
}

/** Returns true if a tool whose name starts with this prefix may be offered. */
function mayOffer(toolPrefix: string, { allowed, denied }: ToolLimits): boolean {
  const mayAllow =
    allowed === undefined || isIn(toolPrefix, allowed) || allowed.some((entry) => entry.startsWith(toolPrefix));
  return mayAllow && !isIn(toolPrefix, denied);
}

/** Returns the provider with other tools; the same array while the provider returns the same one. */
function mapped(
  provider: ToolProvider,
  change: (tools: readonly ToolHandler[]) => readonly ToolHandler[],
): ToolProvider {
  const made = new WeakMap<readonly ToolHandler[], readonly ToolHandler[]>();
  return {
    id: provider.id,
    needsTrust: provider.needsTrust,
    leftOut: () => provider.leftOut?.() ?? [],
    turnStarts: () => provider.turnStarts?.(),
    ready: async (signal, servers) => provider.ready?.(signal, servers),
    instructions: () => provider.instructions?.() ?? [],
    ...(provider.watch && { watch: (listener) => provider.watch?.(listener) ?? { dispose() {} } }),
    tools: (family) => {
      const tools = provider.tools(family);
      const known = made.get(tools) ?? change(tools);
      made.set(tools, known);
      return known;
    },
  };
}
