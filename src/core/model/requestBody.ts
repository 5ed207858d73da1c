import type { Dispensable } from './fieldFallback.ts';

export interface RequestBody {
  /** JSON. */
  readonly text: string;
  /** The omittable fields that it contains. */
  readonly sent: readonly Dispensable[];
}

/** A type of the `openai` package, read-only at every depth. */
export type Sent<Value> = Value extends readonly (infer Element)[]
  ? readonly Sent<Element>[]
  : Value extends object
    ? { readonly [Field in keyof Value]: Sent<Value[Field]> }
    : Value;

/**
 * Writes a request field by field, in the order of the calls, and records which omittable fields it contains. `Params`:
 * the request's type in the `openai` package; every field is checked against it.
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

  /** True when the field was not refused; it may still be unused in this request. */
  mayTake(name: Dispensable): boolean {
    return !this.#refused.has(name);
  }

  /** True when the field may be sent; a caller that gets true must send it. */
  takes(name: Dispensable): boolean {
    if (!this.mayTake(name)) return false;
    this.#sent.push(name);
    return true;
  }

  body(): RequestBody {
    return { text: `{${this.#fields.join(',')}}`, sent: this.#sent };
  }
}
