import type { Clock } from '../ports.ts';
import { Emitter } from '../util/emitter.ts';

/** Maximum lines and characters of the log of one server. */
const MAX_LINES = 500;
const MAX_LINE = 2_000;

/** The last lines that a server has printed on stderr, and its events; kept in memory only. */
export class ServerLog {
  readonly #clock: Clock;
  readonly #added: Emitter<string>;
  #lines: string[] = [];

  constructor(clock: Clock, onError: (error: unknown) => void) {
    this.#clock = clock;
    this.#added = new Emitter(onError);
  }

  /** Fires with each new line. */
  get onLine(): Emitter<string>['event'] {
    return this.#added.event;
  }

  add(line: string): void {
    const cut = line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
    const stamped = `${this.#clock.now().toISOString()} ${cut}`;
    this.#lines.push(stamped);
    this.#added.fire(stamped);
    if (this.#lines.length > MAX_LINES * 2) this.#lines = this.#lines.slice(-MAX_LINES);
  }

  get text(): string {
    return this.#lines.slice(-MAX_LINES).join('\n');
  }
}
