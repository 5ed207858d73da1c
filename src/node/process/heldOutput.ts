import type { Readable } from 'node:stream';
import type { ExecOutput } from '../../core/ports.ts';

/** The most output held before there is a listener; beyond it the process has to wait. */
const HELD_BYTES = 1024 * 1024;

/**
 * Passes output on as it arrives. Output before the first listener is held, up to 1 MiB; then the pipes are not read,
 * so that memory stays bounded whatever the process prints.
 */
export class HeldOutput {
  readonly #streams: Readable[] = [];
  #held: ExecOutput[] = [];
  #heldBytes = 0;
  #listener: ((output: ExecOutput) => void) | undefined;

  add(stream: ExecOutput['stream'], readable: Readable): void {
    this.#streams.push(readable);
    readable.on('data', (bytes: Buffer) => this.#deliver({ stream, bytes }));
    // A broken pipe has ended; the exit of the process follows.
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
   * Stops reading without closing the pipes: a child that outlives its command can go on printing, and does not keep
   * this process running.
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
