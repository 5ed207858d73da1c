import type { Dispensable } from './fieldFallback.ts';

export interface RequestBody {
  /** JSON. */
  readonly text: string;
  /** What of it the server may refuse. */
  readonly sent: readonly Dispensable[];
}

/** A value as the package's types have it, which we build and never change. */
export type Sent<Value> = Value extends readonly (infer Element)[]
  ? readonly Sent<Element>[]
  : Value extends object
    ? { readonly [Field in keyof Value]: Sent<Value[Field]> }
    : Value;

/**
 * Writes a request field by field, in the order they are given, and records what the server may refuse. `Params`: the
 * request's type in the `openai` package, which every field is checked against.
 */
export class RequestWriter<Params> {
  readonly #refused: ReadonlySet<Dispensable>;
  readonly #fields: string[] = [];
  readonly #sent: Dispensable[] = [];

  constructor(refused: ReadonlySet<Dispensable>) {
    this.#refused = refused;
  }

  add<Name extends keyof Params & string>(name: Name, value: Sent<Params[Name]>): void {
    this.addJson(name, JSON.stringify(value));
  }

  addJson(name: keyof Params & string, json: string): void {
    this.#fields.push(`${JSON.stringify(name)}:${json}`);
  }

  /** Whether it may be sent; who asks sends it. */
  takes(name: Dispensable): boolean {
    if (this.#refused.has(name)) return false;
    this.#sent.push(name);
    return true;
  }

  body(): RequestBody {
    return { text: `{${this.#fields.join(',')}}`, sent: this.#sent };
  }
}
