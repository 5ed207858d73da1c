import path from 'node:path';
import { type LoadedRules, parseRulesFile } from '../policy/rules.ts';
import type { Log, Storage } from '../ports.ts';

/** The rules a person has written, as they stand when a command is decided. */
export class RulesStore {
  #rules: LoadedRules = [];
  #problem: string | undefined;
  readonly #storage: Storage;
  readonly #log: Log;

  constructor(ports: { readonly storage: Storage; readonly log: Log }) {
    this.#storage = ports.storage;
    this.#log = ports.log;
  }

  get rules(): LoadedRules {
    return this.#rules;
  }

  /** Why there are none, when the file is broken: the person must know that what it forbids is not forbidden now. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Reads `rules.json` again. A broken file is said and gives no rules (codex-behaviour.md §6.9). */
  async load(): Promise<void> {
    const text = await this.#storage.readText('rules.json');
    const result = text === undefined ? undefined : parseRulesFile(text, path.join(this.#storage.home, 'rules.json'));
    this.#problem = result?.type === 'invalid' ? `No rule is in force: ${result.message}` : undefined;
    if (this.#problem !== undefined) this.#log.warn(this.#problem);
    this.#rules = result?.type === 'rules' ? result.rules : [];
  }
}
