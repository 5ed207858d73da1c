/** Maximum number of commands that share a sandbox: as many as core runs beside each other. */
const MOST = 16;

interface Waiting<Request, Started> {
  readonly request: Request;
  resolve(started: Started | PromiseLike<Started>): void;
}

/**
 * Collects requests that arrive within two turns of the event loop, so that those of a kind are started together: calls
 * of one response are decided beside each other. A lone one is delayed by less than a tenth of a millisecond.
 *
 * `startAll` gets two requests or more.
 */
export class StartsTogether<Request, Started> {
  readonly #waiting = new Map<string, Waiting<Request, Started>[]>();
  readonly #start: (request: Request) => Promise<Started>;
  readonly #startAll: (requests: readonly Request[]) => readonly Promise<Started>[];

  constructor(
    start: (request: Request) => Promise<Started>,
    startAll: (requests: readonly Request[]) => readonly Promise<Started>[],
  ) {
    this.#start = start;
    this.#startAll = startAll;
  }

  /** `kind`: requests with the same one may be started together. */
  start(kind: string, request: Request): Promise<Started> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(kind) ?? [];
      if (waiting.length === 0) setImmediate(() => setImmediate(() => this.#flush(kind)));
      this.#waiting.set(kind, [...waiting, { request, resolve }]);
    });
  }

  #flush(kind: string): void {
    const waiting = this.#waiting.get(kind) ?? [];
    this.#waiting.delete(kind);
    for (let from = 0; from < waiting.length; from += MOST) {
      const group = waiting.slice(from, from + MOST);
      const requests = group.map(({ request }) => request);
      const [only] = requests;
      const started = requests.length > 1 || only === undefined ? this.#startAll(requests) : [this.#start(only)];
      for (const [at, waiter] of group.entries()) waiter.resolve(started[at] ?? this.#start(waiter.request));
    }
  }
}
