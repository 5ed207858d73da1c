/** A parsed patch, before any file is read (codex-behaviour.md §1.1). */

export interface PatchLine {
  readonly kind: 'context' | 'remove' | 'add';
  /** Without the prefix and without a line ending. */
  readonly text: string;
}

/** One changed region of a file. */
export interface PatchChunk {
  /** The texts of the `@@` lines above it, including line numbers (difference (d): Codex takes one line). */
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

/** The kind and paths of an operation, without its lines. */
export type FileOperation =
  | { readonly type: 'add' | 'delete'; readonly path: string }
  | { readonly type: 'update'; readonly path: string; readonly movedTo: string | null };

/** The reason why a text is not a patch (codex-behaviour.md §1.6). */
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
  /** For the model: contains what to write instead. */
  readonly message: string;
  /** The line in the patch, from 1; absent when the fault has no place. */
  readonly line?: number;
}
