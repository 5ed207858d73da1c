/** The machine and the network: time, chance, keys, logs, and programs that do a part of the work. */

/**
 * A request over HTTP: as much of the global `fetch` as Tiller needs, without its types, whose first use takes Node.js 14 ms
 * (util/headerList.ts).
 */
export type Fetch = (url: string | URL, init?: FetchInit) => Promise<FetchResponse>;

export interface FetchInit {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer> | null;
  readonly signal?: AbortSignal | null;
  readonly redirect?: 'manual';
}

export interface FetchResponse {
  readonly status: number;
  /** True for 200 to 299. */
  readonly ok: boolean;
  readonly headers: FetchHeaders;
  readonly body: ReadableStream<Uint8Array> | null;
}

export type FetchHeaders = Pick<Headers, 'get'> & Iterable<[string, string]>;

export interface Secrets {
  /**
   * The key that was entered for exactly this origin (scheme, host, port); a key is sent to no other origin (design
   * decision 12).
   */
  keyFor(origin: string): Promise<string | undefined>;
}

export interface Clock {
  /** Wall-clock time, for display and records. */
  now(): Date;
  /** Milliseconds of a monotonic clock, for measuring. */
  monotonic(): number;
  /** Rejects with the signal's reason as soon as it aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls `callback` once; the returned function cancels it. */
  after(milliseconds: number, callback: () => void): () => void;
}

export interface Ids {
  /** UUID version 7, which sorts by time. For threads. */
  uuid(): string;
  /** Short and unique in this process, e.g. `item_k3f9…`. */
  next(prefix: string): string;
  /** Returns a number in [0, 1), for jitter. */
  random(): number;
}

export interface Log {
  debug(message: string, data?: unknown): void;
  info(message: string, data?: unknown): void;
  warn(message: string, data?: unknown): void;
  error(message: string, data?: unknown): void;
}

/** Facts about the machine that do not change while the process runs. */
export interface Host {
  readonly platform: 'linux' | 'darwin' | 'win32';
  readonly homeDirectory: string;
  /** Path of the user's shell. */
  readonly shell: string;
  /** IANA name. */
  readonly timeZone: string;
  /** The calendar day at `at` in that time zone, as YYYY-MM-DD. */
  localDay(at: Date): string;
  /** The environment of this process; core selects the variables of a command. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Regular expressions that a model has written: a hostile one must not stop Tiller. */
export interface Regexps {
  /**
   * Returns a test whether a line of a text matches; `too_slow` when that takes longer than a second. @throws
   * SyntaxError
   */
  compile(pattern: string): (text: string) => boolean | 'too_slow';
}

export interface TextSearchRequest {
  /** In the syntax of ripgrep. */
  readonly pattern: string;
  /** A folder, which is searched with all below it, or a file. Absolute. */
  readonly place: string;
  /** A glob of file names to look at; all where absent. */
  readonly include?: string | undefined;
  /** Names of folders that are not entered. */
  readonly neverEntered: readonly string[];
  /** Folders in which others than the user may have put a program. */
  readonly untrusted: readonly string[];
  readonly maxFiles: number;
  readonly timeoutMs: number;
}

export type TextSearchResult =
  /** Absolute paths of files on the disk with a line that matches, and that no `.gitignore` in or below the place names. */
  | { readonly type: 'found'; readonly files: readonly string[]; readonly isComplete: boolean }
  /** There is no ripgrep, or it does not take the pattern: search in another way. */
  | { readonly type: 'unavailable' };

/** Searches the files of a folder with another program, which is faster than reading each of them. */
export interface TextSearch {
  /** Rejects only with the signal's reason; the program has ended by then. */
  find(request: TextSearchRequest, signal: AbortSignal): Promise<TextSearchResult>;
}

/** An image to scale down to `width` × `height` pixels. */
export interface ImageScaling {
  readonly bytes: Uint8Array;
  readonly mediaType: 'image/png' | 'image/jpeg';
  readonly width: number;
  readonly height: number;
}

export interface Images {
  /** The smaller image, of the same type. Rejects when it cannot be decoded, or with the signal's reason. */
  scale(image: ImageScaling, signal: AbortSignal): Promise<Uint8Array>;
}
