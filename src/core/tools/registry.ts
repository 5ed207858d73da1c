import type { ToolSpec } from '../../protocol/toolSpec.ts';
import { specProblem } from './specProblem.ts';
import type { ToolHandler } from './handler.ts';

/** The tools of one provider. */
export interface ProvidedTools {
  readonly id: string;
  readonly tools: readonly ToolHandler[];
}

/** A tool that is left out; `name` is absent where all tools of a provider are. */
export interface Rejected {
  readonly name?: string;
  readonly providerId: string;
  /** `ToolHandler.source` of the tool. */
  readonly source?: string | undefined;
  /** `undefined`: an earlier tool has its name. Otherwise the fault in its specification. */
  readonly problem?: string;
}

/** Returns one sentence for the user. */
export function rejectionMessage(rejected: Rejected): string {
  const { name, providerId, source, problem = 'another tool has this name' } = rejected;
  const owner = source?.slice(0, MAX_PROBLEM) ?? (providerId === 'client' ? 'the client' : providerId);
  const why = problem.slice(0, MAX_PROBLEM).replace(/\.$/, '');
  return name === undefined
    ? `The tools of ${owner} are left out: ${why}.`
    : `The tool of ${owner} named ${name.slice(0, MAX_PROBLEM)} is left out: ${why}.`;
}

/** In characters. */
const MAX_PROBLEM = 200;

/** Maps tool names to handlers, and lists the tools that the model is offered. */
export class ToolRegistry {
  readonly #byName = new Map<string, ToolHandler>();
  /** In the order of the providers. The order must not change, because the specs are part of the prompt cache. */
  readonly specs: readonly ToolSpec[];
  readonly rejected: readonly Rejected[];

  /** Keeps the first of tools with the same name. A tool with an invalid specification is left out. */
  constructor(providers: readonly ProvidedTools[]) {
    const specs: ToolSpec[] = [];
    const rejected: Rejected[] = [];
    for (const { id, tools } of providers) {
      for (const handler of tools) {
        const taken = handler.names.find((name) => this.#byName.has(name));
        if (taken !== undefined) {
          rejected.push({ name: taken, providerId: id, source: handler.source });
          continue;
        }
        const problem = specProblem(handler);
        if (problem !== undefined) {
          rejected.push({ name: handler.names[0], providerId: id, source: handler.source, problem });
          continue;
        }
        for (const name of handler.names) this.#byName.set(name, handler);
        if (handler.spec) specs.push(handler.spec);
      }
    }
    this.specs = specs;
    this.rejected = rejected;
  }

  handler(name: string): ToolHandler | undefined {
    return this.#byName.get(name);
  }

  /** The names of the offered tools that can be called, for the answer to a call of an unknown one. */
  get offeredNames(): readonly string[] {
    const callable = [...new Set(this.#byName.values())].filter(({ spec }) => spec && spec.type !== 'web_search');
    return callable.map((handler) => handler.names[0]);
  }
}
