import type { ToolSpec } from '../../protocol/toolSpec.ts';
import type { ToolHandler } from './handler.ts';

/** The tools of one provider. */
export interface ProvidedTools {
  readonly id: string;
  readonly tools: readonly ToolHandler[];
}

/** A tool that is left out because an earlier one has its name. */
export interface Collision {
  readonly name: string;
  readonly providerId: string;
}

/** Maps tool names to handlers, and lists the tools that the model is offered (seed 004, "Tool Registration"). */
export class ToolRegistry {
  readonly #byName = new Map<string, ToolHandler>();
  /** In the order of the providers. The order must not change, because the specs are part of the prompt cache. */
  readonly specs: readonly ToolSpec[];
  readonly collisions: readonly Collision[];

  /** Of two tools with the same name the first one is kept. */
  constructor(providers: readonly ProvidedTools[]) {
    const specs: ToolSpec[] = [];
    const collisions: Collision[] = [];
    for (const { id, tools } of providers) {
      for (const handler of tools) {
        const taken = handler.names.find((name) => this.#byName.has(name));
        if (taken !== undefined) {
          collisions.push({ name: taken, providerId: id });
          continue;
        }
        for (const name of handler.names) this.#byName.set(name, handler);
        if (handler.spec) specs.push(handler.spec);
      }
    }
    this.specs = specs;
    this.collisions = collisions;
  }

  handler(name: string): ToolHandler | undefined {
    return this.#byName.get(name);
  }

  /** The names of the offered tools, for the answer to a call of an unknown one. */
  get offeredNames(): readonly string[] {
    return [...new Set(this.#byName.values())].filter((handler) => handler.spec).map((handler) => handler.names[0]);
  }
}
