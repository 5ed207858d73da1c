import { isSameRule, type Rule } from '../../protocol/policy.ts';

/** What a person has allowed for one thread: exact things by key, and whole prefixes by rule. */
export class Memory {
  readonly #keys: Set<string>;
  #rules: readonly Rule[];

  constructor({ keys = [], rules = [] }: { readonly keys?: Iterable<string>; readonly rules?: readonly Rule[] } = {}) {
    this.#keys = new Set(keys);
    this.#rules = rules;
  }

  get keys(): readonly string[] {
    return [...this.#keys];
  }

  get rules(): readonly Rule[] {
    return this.#rules;
  }

  /** False for no key at all: nothing allows nothing. */
  hasAll(keys: readonly string[]): boolean {
    return keys.length > 0 && keys.every((key) => this.#keys.has(key));
  }

  addKeys(keys: readonly string[]): void {
    for (const key of keys) this.#keys.add(key);
  }

  addRule(rule: Rule): void {
    if (!this.#rules.some((known) => isSameRule(known, rule))) this.#rules = [...this.#rules, rule];
  }

  /** From now on this. No key comes in that was not there: a key is given by an answer to a question, and by nothing else. */
  replace(keys: readonly string[], rules: readonly Rule[]): void {
    const kept = new Set(keys);
    for (const key of this.#keys) if (!kept.has(key)) this.#keys.delete(key);
    this.#rules = rules;
  }
}
