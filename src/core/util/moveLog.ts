import type { Disposable } from './disposable.ts';
import { Emitter } from './emitter.ts';

/** A file or a folder that was moved or renamed in the editor; absolute paths. */
export interface FileMove {
  readonly from: string;
  readonly to: string;
}

/** The moves in the editor, in their order. */
export interface FileMoveLog {
  /** The number of moves so far. */
  readonly count: number;
  /** Returns the moves after the first `count`. */
  since(count: number): readonly FileMove[];
  readonly onMove: (listener: (move: FileMove) => void) => Disposable;
}

/** The oldest moves beyond this number are forgotten: a call that is still pending then follows only the later ones. */
const MAX_KEPT = 10_000;

/** Keeps the moves in order; the owner disposes. */
export class MoveLog implements FileMoveLog {
  readonly #moved: Emitter<FileMove>;
  readonly #kept: FileMove[] = [];
  #count = 0;

  constructor(report: (error: unknown) => void) {
    this.#moved = new Emitter(report);
  }

  get count(): number {
    return this.#count;
  }

  get onMove(): FileMoveLog['onMove'] {
    return this.#moved.event;
  }

  since(count: number): readonly FileMove[] {
    const wanted = this.#count - count;
    return wanted <= 0 ? [] : this.#kept.slice(-wanted);
  }

  add(move: FileMove): void {
    this.#count++;
    this.#kept.push(move);
    if (this.#kept.length > MAX_KEPT) this.#kept.shift();
    this.#moved.fire(move);
  }

  dispose(): void {
    this.#moved.dispose();
  }
}
