/**
 * Parses a patch while a model writes it, for display only: the text may turn out not to be a patch, and a preview is
 * never applied (codex-behaviour.md §1.6).
 */
import type { PatchFault, PatchOperation } from './operation.ts';
import { createPatchReader } from './reader.ts';
import { trim } from './whitespace.ts';

export interface PatchPreview {
  /** Only complete lines count; the last operation may be incomplete. */
  readonly operations: readonly PatchOperation[];
  /** True after the end marker. */
  readonly ended: boolean;
  /** Set when the text can no longer become a patch; operations read before stay. */
  readonly fault: PatchFault | undefined;
}

export interface PatchStream {
  push(text: string): void;
  /** Ends the input: the rest counts as a line. */
  finish(): void;
  readonly preview: PatchPreview;
}

/** Reads patches that arrive as plain text (freeform tools). */
export function createPatchStream(): PatchStream {
  const reader = createPatchReader();
  let rest = '';
  let started = false;
  let fault: PatchFault | undefined;

  function readLine(line: string): void {
    // The parser trims the whole patch and removes a here-document; here both are visible only at the beginning.
    const preamble = !started && (trim(line) === '' || line.startsWith('<<'));
    if (preamble || reader.ended || fault !== undefined) return;
    started = true;
    fault = reader.read(line.endsWith('\r') ? line.slice(0, -1) : line);
  }

  return {
    push(text) {
      rest += text;
      // A long line comes in many pieces, and is split only once.
      if (!text.includes('\n')) return;
      const lines = rest.split('\n');
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
