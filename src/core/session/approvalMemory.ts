import { isSameRule, type Rule } from '../../protocol/policy.ts';

/** The user's approvals for one thread: single calls by key, command prefixes by rule. */
export class ApprovalMemory {
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

  /** Returns false for an empty list. */
  hasAll(keys: readonly string[]): boolean {
    return keys.length > 0 && keys.every((key) => this.#keys.has(key));
  }

  addKeys(keys: readonly string[]): void {
    for (const key of keys) this.#keys.add(key);
  }

  addRule(rule: Rule): void {
    if (!this.#rules.some((known) => isSameRule(known, rule))) this.#rules = [...this.#rules, rule];
  }

  /** Replaces the memory. Keys that it did not have are ignored: only an approval adds a key. */
  replace(keys: readonly string[], rules: readonly Rule[]): void {
    const kept = new Set(keys);
    for (const key of this.#keys) if (!kept.has(key)) this.#keys.delete(key);
    this.#rules = rules;
  }
}
