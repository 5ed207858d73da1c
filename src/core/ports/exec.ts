/** Processes and their confinement. */

/**
 * A folder that a sandbox leaves writable, and the paths that stay read-only below it, also those that do not exist.
 * Absolute paths.
 */
export interface WritableRoot {
  readonly path: string;
  readonly protectedPaths: readonly string[];
}

/**
 * The hosts that a process without network may reach, through a proxy of Tiller (core/policy/hosts.ts). Patterns in
 * their one form (protocol/hostPattern.ts).
 */
export interface HostLimits {
  readonly allowed: readonly string[];
  /** Refused although `allowed` covers them. */
  readonly denied: readonly string[];
  /** Allowed for this process, whatever `denied` says. */
  readonly once: readonly string[];
}

/** The limits of a process in a sandbox: `core/sandbox` decides them, `node/sandbox` enforces them. */
export interface SandboxLimits {
  /** If empty, only the temporary folder may be written. */
  readonly writableRoots: readonly WritableRoot[];
  /** Readable even where the folder around them is hidden or unreadable. */
  readonly visible: readonly string[];
  /** The whole network. */
  readonly network: boolean;
  /** Set only without `network`. */
  readonly hosts?: HostLimits;
  /** Files and folders that look empty or cannot be opened inside the sandbox. */
  readonly unreadable: readonly string[];
  /**
   * Entries of the setting `sandbox.unreadable`. Files that its globs and Tiller's own match (core/policy/readPatterns)
   * cannot be opened; those that exist when the process starts, within the limits of `node/sandbox/treeScan`.
   */
  readonly unreadableGlobs: readonly string[];
  readonly temporary: {
    /** A folder of Tiller that outlives the process; created when it is missing. */
    readonly folder: string;
    /** The paths at which the process sees it instead of the machine's folders: none, or its own path first. */
    readonly seenAt: readonly string[];
    /** True when `$TMPDIR` of the process names it. */
    readonly isTmpdir: boolean;
  };
}

/**
 * A change made by a sandboxed process that the user and the model must know before Tiller reads it. `message` is one
 * plain sentence for both.
 */
export type SandboxFinding =
  /**
   * A protected name that was created, or the file that had replaced a link: it was quarantined and can be restored.
   */
  | {
      readonly kind: 'quarantined';
      readonly path: string;
      readonly quarantineId: string;
      readonly message: string;
    }
  /** Like `quarantined`, but there was nothing to move, or moving it failed. */
  | { readonly kind: 'left_behind'; readonly path: string; readonly message: string }
  /** New or changed git metadata that would run a program outside the sandbox. */
  | { readonly kind: 'git_metadata'; readonly path: string; readonly message: string };

/**
 * The sandbox of a process. `none` is a decision, never a fallback: if a sandbox cannot be built, the process does not
 * start.
 */
export type Confinement = { readonly type: 'none' } | { readonly type: 'sandbox'; readonly limits: SandboxLimits };

export interface ExecRequest {
  /** Program and arguments; never a string for a shell to parse. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** A text is written to it, and then it is closed. */
  readonly stdin: 'none' | 'pipe' | { readonly text: string };
  readonly confinement: Confinement;
  /** It is known to only read, so that it may share its sandbox with others that start together with it. */
  readonly onlyReads?: true;
  /**
   * With `onlyReads`: the program that `argv`, a bash, would execute, and its words. It may be executed directly,
   * without that bash, which is then needed only if the program is missing.
   */
  readonly onlyProgram?: readonly [string, ...string[]] | undefined;
  /** Windows: the arguments are quoted for the program already. */
  readonly verbatimArguments?: true;
  /** A pseudo terminal instead of pipes. */
  readonly tty?: { readonly columns: number; readonly rows: number };
}

export interface ExecOutput {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}

/** A process group (or a pid namespace) with its output. */
export interface ExecProcess {
  readonly pid: number | undefined;
  /**
   * Resolves when the process has ended and all its output was delivered. Waits at most 2 s for output pipes that a
   * surviving child still holds open. Never rejects.
   */
  readonly exited: Promise<ExecExit>;
  /** The hosts that it was refused so far; absent where the limits have no `hosts`. */
  hosts?(): HostReport;
  /** Allows one listener. Output that arrived before is kept for it. */
  onOutput(listener: (output: ExecOutput) => void): void;
  write(chars: string): void;
  /** Closes its stdin, if that is a pipe. */
  endInput?(): void;
  /** Resizes its terminal, if it has one. */
  resize(columns: number, rows: number): void;
  /**
   * Ends the whole process tree: first with a request to exit, and after `graceMs` (default 500) by force. Resolves
   * when it has exited.
   */
  kill(graceMs?: number): Promise<void>;
}

/** The hosts that a process with `hosts` was refused. */
export interface HostReport {
  /** As `host:port`, each once, in the order in which the process asked; not all when it asked for very many. */
  readonly refused: readonly string[];
  /**
   * Allowed hosts, as `host:port (address)`, that were refused because that address is on this machine or in a private
   * network.
   */
  readonly misleading: readonly string[];
  /** The reason for which the process could reach no host at all, as a sentence for the user and the model. */
  readonly problem?: string;
}

export interface ExecExit {
  /** 128 + n when signal n ended it. */
  readonly code: number;
  readonly signal: string | null;
  /** Set only for a sandboxed process that left something behind. */
  readonly findings?: readonly SandboxFinding[];
  /** Set only where the limits had `hosts`. */
  readonly hosts?: HostReport;
}

export interface Exec {
  /** Makes the start of commands cheaper where it can. Call when a command may follow soon. Returns at once. */
  prepare?(): void;
  /**
   * @throws Error with a message for the model when the process cannot be started; or the reason of `signal` as soon as
   * it aborts: then a process that starts all the same is ended at once.
   */
  spawn(request: ExecRequest, signal?: AbortSignal): Promise<ExecProcess>;
}
