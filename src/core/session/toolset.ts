import type { DynamicToolSpec } from '../../protocol/op.ts';
import type { ReviewSetting } from '../../protocol/policy.ts';
import type { ModelFamily } from '../model/families.ts';
import { builtinTools, harmlessTools } from '../tools/builtin.ts';
import { DynamicCalls } from '../tools/dynamicCalls.ts';
import { ToolRegistry } from '../tools/registry.ts';
import type { ToolOptions } from '../tools/handler.ts';

/** They are called the same for every model. */
const ANY_FAMILY = { applyPatch: 'function', extraInstructions: false, shell: 'exec_command' } as const;

interface ToolsetOptions {
  readonly rules: ToolOptions['rules'];
  readonly review: ReviewSetting;
  readonly environment: ToolOptions['environment'];
  readonly saveBeforeCommands: ToolOptions['saveBeforeCommands'];
  readonly isTrusted: () => boolean;
}

/** The tools of one thread: ours, and those its client brought. */
export class Toolset {
  /** Calls of the client's tools that wait for it. */
  readonly clientCalls = new DynamicCalls();
  readonly #options: ToolsetOptions;
  #clientTools: readonly DynamicToolSpec[] = [];

  constructor(options: ToolsetOptions) {
    this.#options = options;
  }

  /** Returns a name that two tools would have; then none is registered. */
  register(tools: readonly DynamicToolSpec[]): string | undefined {
    const ours = this.#builtin(ANY_FAMILY, []).flatMap(({ names }) => names);
    const names = [...ours, ...tools.map(({ name }) => name)];
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice === undefined) this.#clientTools = tools;
    return twice;
  }

  /** As a model of this family is told of them; in a workspace that is not trusted, those that touch nothing. */
  registryFor(family: ModelFamily): ToolRegistry {
    return new ToolRegistry(this.#options.isTrusted() ? this.#builtin(family, this.#clientTools) : harmlessTools());
  }

  #builtin(family: Parameters<typeof builtinTools>[0], tools: readonly DynamicToolSpec[]) {
    const { rules, review, environment, saveBeforeCommands } = this.#options;
    const options = { rules, review, environment, saveBeforeCommands };
    return builtinTools(family, options, { tools, calls: this.clientCalls });
  }
}
