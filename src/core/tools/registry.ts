import type { ToolSpec } from '../../protocol/toolSpec.ts';
import type { ToolHandler } from './handler.ts';

/** Tool names to handlers, and what of it the model is offered (seed 004, "Tool Registration"). */
export class ToolRegistry {
  readonly #byName = new Map<string, ToolHandler>();
  /** In the order they were given: part of the prompt cache. */
  readonly specs: readonly ToolSpec[];

  constructor(handlers: readonly ToolHandler[]) {
    const specs: ToolSpec[] = [];
    for (const handler of handlers) {
      for (const name of handler.names) {
        if (this.#byName.has(name)) throw new Error(`Two tools are called ${name}.`);
        this.#byName.set(name, handler);
      }
      if (handler.spec) specs.push(handler.spec);
    }
    this.specs = specs;
  }

  handler(name: string): ToolHandler | undefined {
    return this.#byName.get(name);
  }

  /** What the model may call, for the answer to a call of something else. */
  get offeredNames(): readonly string[] {
    return [...new Set(this.#byName.values())].filter((handler) => handler.spec).map((handler) => handler.names[0]);
  }
}
