import type { Readable } from 'node:stream';
import type { ExecOutput } from '../../core/ports.ts';

/** What may pile up before anybody listens; beyond it the process has to wait. */
const HELD_BYTES = 1024 * 1024;

/**
 * Hands output on as it comes. What arrives before the first listener is kept for it, up to 1 MiB; then the pipes are
 * left full, so that memory stays bounded whatever the process prints.
 */
export class HeldOutput {
  readonly #streams: Readable[] = [];
  #held: ExecOutput[] = [];
  #heldBytes = 0;
  #listener: ((output: ExecOutput) => void) | undefined;

  add(stream: ExecOutput['stream'], readable: Readable): void {
    this.#streams.push(readable);
    readable.on('data', (bytes: Buffer) => this.#deliver({ stream, bytes }));
    // A pipe that breaks has ended; the process's exit tells the story.
    readable.on('error', () => {});
  }

  listen(listener: (output: ExecOutput) => void): void {
    this.#listener = listener;
    const held = this.#held;
    this.#held = [];
    for (const output of held) listener(output);
    this.resume();
  }

  resume(): void {
    for (const readable of this.#streams) readable.resume();
  }

  /**
   * Stops listening without closing the pipes: a child that outlives its command and still prints goes on unharmed,
   * and neither its words nor its pipes hold this process up.
   */
  letGo(): void {
    for (const readable of this.#streams) {
      readable.removeAllListeners('data');
      readable.resume();
      if ('unref' in readable && typeof readable.unref === 'function') readable.unref();
    }
  }

  #deliver(output: ExecOutput): void {
    if (this.#listener !== undefined) return this.#listener(output);
    this.#held.push(output);
    this.#heldBytes += output.bytes.length;
    if (this.#heldBytes > HELD_BYTES) for (const readable of this.#streams) readable.pause();
  }
}
