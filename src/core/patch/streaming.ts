/**
 * Follows a patch while a model writes it, for the eye only: what it shows may still turn out to be no patch, and is
 * never applied (codex-behaviour.md §1.6).
 */
import type { PatchFault, PatchOperation } from './operation.ts';
import { createPatchReader } from './reader.ts';
import { trim } from './whitespace.ts';

export interface PatchPreview {
  /** Only lines that are whole count; the last operation may still grow. */
  readonly operations: readonly PatchOperation[];
  /** The end marker was read. */
  readonly ended: boolean;
  /** Set when it can no longer become a patch; what was understood before stays. */
  readonly fault: PatchFault | undefined;
}

export interface PatchStream {
  push(text: string): void;
  /** No more will come: what is left counts as a line. */
  finish(): void;
  readonly preview: PatchPreview;
}

/** For patches that arrive as they are (freeform tools). */
export function createPatchStream(): PatchStream {
  const reader = createPatchReader();
  let rest = '';
  let started = false;
  let fault: PatchFault | undefined;

  function readLine(line: string): void {
    // The parser trims the whole patch and takes a here-document off; here both show at the beginning only.
    const preamble = !started && (trim(line) === '' || line.startsWith('<<'));
    if (preamble || reader.ended || fault !== undefined) return;
    started = true;
    fault = reader.read(line.endsWith('\r') ? line.slice(0, -1) : line);
  }

  return {
    push(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) readLine(line);
    },
    finish() {
      readLine(trim(rest));
      rest = '';
    },
    get preview() {
      return { operations: reader.operations, ended: reader.ended, fault };
    },
  };
}
