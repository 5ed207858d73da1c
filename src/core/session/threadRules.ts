import type { AllowedPrefix } from '../prompt/allowedPrefixes.ts';
import { allowedBy } from '../rules/allowedBy.ts';
import type { RulesInForce, RulesPlace, RulesStore } from '../rules/rulesStore.ts';
import type { ApprovalMemory } from './approvalMemory.ts';

interface ThreadRulesOptions {
  readonly threadId: string;
  readonly store: RulesStore;
  /** The answers that the thread remembers. */
  readonly memory: () => ApprovalMemory;
  readonly isTrusted: () => boolean;
  /** Gets each new problem of a rule file. */
  readonly warn: (problem: string) => void;
}

/** The rules of the user, as they hold for one thread. */
export class ThreadRules {
  readonly #options: ThreadRulesOptions;
  /** The last reported problems of rule files. */
  #problems: readonly string[] = [];

  constructor(options: ThreadRulesOptions) {
    this.#options = options;
  }

  place(cwd: string): RulesPlace {
    return { cwd, trusted: this.#options.isTrusted() };
  }

  /** The rules in force now. A problem of a rule file is reported once, until it changes. */
  async inForce(cwd: string): Promise<RulesInForce['rules']> {
    const { threadId, store, warn } = this.#options;
    const { keys, rules: remembered } = this.#options.memory();
    const { rules, problems } = await store.inForce(this.place(cwd), { threadId, keys, rules: remembered });
    const reported = this.#problems;
    this.#problems = problems.map(({ message }) => message);
    for (const message of this.#problems) if (!reported.includes(message)) warn(message);
    return rules;
  }

  /** The prefixes of commands that run unasked and the hosts that commands may reach, for the prompt. */
  async allowedIn(
    cwd: string,
  ): Promise<{ readonly commands: readonly AllowedPrefix[]; readonly hosts: readonly string[] }> {
    const { commands, hosts } = allowedBy(await this.inForce(cwd));
    return {
      commands: commands.map(({ pattern, bypassSandbox }) => ({ pattern, outside: bypassSandbox === true })),
      hosts,
    };
  }
}
