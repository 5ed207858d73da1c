/** A patch as a value: what it asks for, before anybody has looked at a file (codex-behaviour.md §1.1). */

export interface PatchLine {
  readonly kind: 'context' | 'remove' | 'add';
  /** Without the prefix and without a line ending. */
  readonly text: string;
}

/** One place of a file that changes. */
export interface PatchChunk {
  /** Texts of the `@@` lines above it, line numbers included (our difference (d): Codex takes one). */
  readonly contexts: readonly string[];
  readonly lines: readonly PatchLine[];
  /** The old lines must be the last ones of the file. */
  readonly endOfFile: boolean;
}

/** Paths are as written in the patch. */
export type PatchOperation =
  | { readonly type: 'add'; readonly path: string; readonly lines: readonly string[] }
  | { readonly type: 'delete'; readonly path: string }
  | {
      readonly type: 'update';
      readonly path: string;
      readonly movedTo: string | null;
      readonly chunks: readonly PatchChunk[];
    };

/** Why a text is not a patch (codex-behaviour.md §1.6). */
export type PatchFaultCategory =
  | 'first_line'
  | 'last_line'
  | 'environment_id'
  | 'bad_header'
  | 'empty_update'
  | 'no_lines'
  | 'missing_marker'
  | 'unexpected_line';

export interface PatchFault {
  readonly category: PatchFaultCategory;
  /** For the model: says what to write instead. */
  readonly message: string;
  /** Counted from 1 at the first line of the patch; absent when the fault has no place. */
  readonly line?: number;
}
