/** Facts about the code from the editor and its language extensions. */

/** An error or a warning that the editor shows for a file. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  /** From 1, like the column. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The program that reports it and its code for it, `ts 2322`; may be empty. */
  readonly origin: string;
  /** The text of its line; empty where the file is not open. */
  readonly lineText: string;
}

/** A file that a patch writes. */
export interface PatchedFile {
  /** The path of the text after the patch, and its resolved place. */
  readonly path: string;
  readonly place: string;
  /** The same before the patch; `null` for a new file. */
  readonly before: { readonly path: string; readonly place: string } | null;
}

/** The problems of one file before a patch and after it. */
export interface CheckedFile {
  readonly path: string;
  readonly isPatched: boolean;
  /**
   * `current`: reported for the text after the patch, or a later one. `checking`: not reported yet, or still changing.
   * `unchecked`: nothing is known, because the file is shown in no tab, or nothing checks its language.
   */
  readonly state: 'current' | 'checking' | 'unchecked';
  readonly before: readonly Problem[];
  readonly after: readonly Problem[];
}

/** The problems that language servers and linters report in an editor. */
export interface Problems {
  /** Records the problems of all open files. Call before a patch that writes these files is applied. Never rejects. */
  watch(files: readonly PatchedFile[]): Promise<ProblemWatch>;
}

/** The caller disposes it. */
export interface ProblemWatch {
  /**
   * Call once, when the patch is applied. Resolves when its files have been checked, after 3 s, or when the signal aborts:
   * with each patched file, and each other open file whose problems have changed. Never rejects.
   */
  settle(signal: AbortSignal): Promise<readonly CheckedFile[]>;
  dispose(): void;
}

/** A position in the text of a file, as it is in the editor. */
export interface CodePosition {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** From 0, in UTF-16 units. */
  readonly column: number;
}

/** A declaration that a language extension knows. */
export interface CodeSymbol extends CodePosition {
  readonly name: string;
  /** `function`, `class` … */
  readonly kind: string;
  /** The name of the enclosing symbol; may be empty. */
  readonly container: string;
}

/** Replaces a range of a text; the path of both ends is that of the file. */
export interface CodeEdit {
  readonly start: Pick<CodePosition, 'line' | 'column'>;
  readonly end: Pick<CodePosition, 'line' | 'column'>;
  readonly text: string;
}

/** The changes of a rename to one file. */
export interface RenamedFile {
  readonly path: string;
  readonly movedTo: string | null;
  /** The text that the edits are for; `undefined` where the file is not open, and the disk has it. */
  readonly text: string | undefined;
  readonly edits: readonly CodeEdit[];
}

export type RenameAnswer =
  | { readonly type: 'renamed'; readonly files: readonly RenamedFile[] }
  /** The language extension refused it with a reason, or no extension knows the symbol. */
  | { readonly type: 'refused'; readonly message: string };

/** Requests about a language; symbols of a file are often answered before its project is read. */
export type CodeKind = 'outline' | 'code';

export type CodeRelation = 'definition' | 'references' | 'implementations';

/**
 * The language extensions of an editor. An answer is empty where none knows the language, where there is no result, and
 * while an extension is still starting or reading the project: the three look the same. No request can be cancelled.
 */
export interface Languages {
  /**
   * Opens the file without a tab, so that the extension of its language starts. @throws Error for a file that is not
   * text
   */
  open(path: string): Promise<void>;
  /**
   * Returns true if a request of this kind has had an answer that is not empty in this window, about the language of
   * this file. Without a path: about symbols of the workspace.
   */
  hasAnswered(kind: CodeKind, path: string | undefined): boolean;
  /**
   * Returns true if an empty answer is accepted although no provider has answered so far: calls have waited their whole
   * time in vain, and no extension was installed or enabled since.
   */
  isSilent(kind: CodeKind, path: string | undefined): boolean;
  /** Milliseconds that a call may ask again while all answers are empty. */
  patienceFor(path: string | undefined): number;
  /** A call has waited in vain. */
  noteSilence(kind: CodeKind, path: string | undefined): void;
  /**
   * Resolves when the extensions have read the project of an open file, as far as an answer of theirs shows it. Until then
   * the other answers may lack places in other files. Never rejects; at once where no extension has started.
   */
  settle(at: CodePosition): Promise<void>;
  find(relation: CodeRelation, at: CodePosition): Promise<readonly CodePosition[]>;
  /** Type and documentation, as Markdown. */
  describe(at: CodePosition): Promise<readonly string[]>;
  /** All symbols of a file. */
  outline(path: string): Promise<readonly CodeSymbol[]>;
  /** Symbols of the workspace whose names match the query in some way. */
  search(query: string): Promise<readonly CodeSymbol[]>;
  rename(at: CodePosition, newName: string): Promise<RenameAnswer>;
  /** The present problems of this file, or of all files that have any. */
  problems(path?: string): readonly { readonly path: string; readonly problems: readonly Problem[] }[];
}
