import type { Dispensable } from './fieldFallback.ts';

export interface RequestBody {
  /** JSON. */
  readonly text: string;
  /** The omittable fields that it contains. */
  readonly sent: readonly Dispensable[];
}

/** Writes a request field by field, in the order of the calls, and records which omittable fields it contains. */
export class RequestWriter {
  readonly #refused: ReadonlySet<Dispensable>;
  readonly #fields: string[] = [];
  readonly #sent: Dispensable[] = [];

  constructor(refused: ReadonlySet<Dispensable>) {
    this.#refused = refused;
  }

  add(name: string, value: unknown): void {
    this.addJson(name, JSON.stringify(value));
  }

  addJson(name: string, json: string): void {
    this.#fields.push(`${JSON.stringify(name)}:${json}`);
  }

  /** True when the field may be sent; a caller that gets true must send it. */
  takes(name: Dispensable): boolean {
    if (this.#refused.has(name)) return false;
    this.#sent.push(name);
    return true;
  }

  body(): RequestBody {
    return { text: `{${this.#fields.join(',')}}`, sent: this.#sent };
  }
}
