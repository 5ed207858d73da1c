import path from 'node:path';
import { type LoadedRules, parseRulesFile } from '../policy/rules.ts';
import type { Log, Storage } from '../ports.ts';

/** The rules a person has written, as they stand when a command is decided. */
export class RulesStore {
  #rules: LoadedRules = [];
  readonly #storage: Storage;
  readonly #log: Log;

  constructor(ports: { readonly storage: Storage; readonly log: Log }) {
    this.#storage = ports.storage;
    this.#log = ports.log;
  }

  get rules(): LoadedRules {
    return this.#rules;
  }

  /** Reads `rules.json` again. A broken file is said and gives no rules (codex-behaviour.md §6.9). */
  async load(): Promise<void> {
    const text = await this.#storage.readText('rules.json');
    const result = text === undefined ? undefined : parseRulesFile(text, path.join(this.#storage.home, 'rules.json'));
    if (result?.type === 'invalid') this.#log.warn(result.message);
    this.#rules = result?.type === 'rules' ? result.rules : [];
  }
}
